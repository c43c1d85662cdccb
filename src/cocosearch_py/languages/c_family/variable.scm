(declaration declarator: [
  (identifier) @name
  (~init_declarator declarator: (identifier) @name)
  (~array_declarator declarator: (identifier) @name)
  (~pointer_declarator declarator: (identifier) @name)
  (~init_declarator declarator: (~array_declarator declarator: (identifier) @name))
  (~init_declarator declarator: (~pointer_declarator declarator: (identifier) @name))
  (~init_declarator declarator: (~array_declarator
    declarator: (~pointer_declarator declarator: (identifier) @name)))
  (~init_declarator declarator: (~pointer_declarator
    declarator: (~array_declarator declarator: (identifier) @name)))
  (~function_declarator declarator: (~parenthesized_declarator (~pointer_declarator declarator: (identifier) @name)))
  (~init_declarator declarator: (~function_declarator
    declarator: (~parenthesized_declarator (~pointer_declarator declarator: (identifier) @name))))
  (~pointer_declarator declarator: (~function_declarator
    declarator: (~parenthesized_declarator (~pointer_declarator declarator: (identifier) @name))))
  (~init_declarator declarator: (~pointer_declarator declarator: (~function_declarator
    declarator: (~parenthesized_declarator (~pointer_declarator declarator: (identifier) @name)))))
]) @definition.variable
