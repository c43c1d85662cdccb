declarator: [
  (function_declarator declarator: [
    (identifier) @name
    (parenthesized_declarator (identifier) @name)])
  (pointer_declarator declarator: (function_declarator declarator: [
    (identifier) @name
    (parenthesized_declarator (identifier) @name)]))
  (pointer_declarator
    declarator: (pointer_declarator declarator: (function_declarator declarator: (identifier) @name)))
]
