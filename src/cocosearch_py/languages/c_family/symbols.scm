; What C and C++ write alike. It stands last in their queries: their own patterns say more.
(union_specifier name: (type_identifier) @name) @definition.struct @has_body
(enumerator name: (identifier) @name) @definition.constant

(type_definition
  type: [(~struct_specifier !name body: (_) @body) (~union_specifier !name body: (_) @body)]
  declarator: (type_identifier) @name) @definition.struct
(type_definition
  type: (~enum_specifier !name body: (_) @body)
  declarator: (type_identifier) @name) @definition.enum
(type_definition declarator: [
  (type_identifier) @name
  (~pointer_declarator declarator: (type_identifier) @name)
  (~array_declarator declarator: (type_identifier) @name)
  (~function_declarator declarator: (type_identifier) @name)
  (~function_declarator
    declarator: (~parenthesized_declarator (~pointer_declarator declarator: (type_identifier) @name)))
  (~pointer_declarator declarator: (~function_declarator
    declarator: (~parenthesized_declarator (~pointer_declarator declarator: (type_identifier) @name))))
]) @definition.type

(field_declaration declarator: [
  (field_identifier) @name
  (~pointer_declarator declarator: (field_identifier) @name)
  (~pointer_declarator declarator: (~pointer_declarator declarator: (field_identifier) @name))
  (~array_declarator declarator: (field_identifier) @name)
  (~array_declarator declarator: (~pointer_declarator declarator: (field_identifier) @name))
  (~pointer_declarator declarator: (~array_declarator declarator: (field_identifier) @name))
  (~function_declarator
    declarator: (~parenthesized_declarator (~pointer_declarator declarator: (field_identifier) @name)))
  (~pointer_declarator declarator: (~function_declarator
    declarator: (~parenthesized_declarator (~pointer_declarator declarator: (field_identifier) @name))))
]) @definition.field

; Variables of the file, also between #if lines; the same inside a function is dropped by the program.
(translation_unit
  ; include: c_family/variable
)
(preproc_ifdef
  ; include: c_family/variable
)
(preproc_if
  ; include: c_family/variable
)
(preproc_else
  ; include: c_family/variable
)
(declaration_list
  ; include: c_family/variable
)

; MACRO(name) { ... }
(function_definition
  type: (type_identifier)
  declarator: (~parenthesized_declarator (identifier) @name)) @definition.function @has_body

(preproc_def name: (identifier) @name value: (_)) @definition.macro
(preproc_function_def name: (identifier) @name value: (_)? @body) @definition.macro

(comment) @comment
