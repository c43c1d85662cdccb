(function_definition
  declarator: [
    (function_declarator declarator: [
      (identifier) @name
      (parenthesized_declarator (identifier) @name)])
    (pointer_declarator declarator: (function_declarator declarator: (identifier) @name))
    (pointer_declarator
      declarator: (pointer_declarator declarator: (function_declarator declarator: (identifier) @name)))
  ]
  body: (_) @body) @definition.function

(declaration
  declarator: [
    (function_declarator declarator: [
      (identifier) @name
      (parenthesized_declarator (identifier) @name)])
    (pointer_declarator declarator: (function_declarator declarator: (identifier) @name))
    (pointer_declarator
      declarator: (pointer_declarator declarator: (function_declarator declarator: (identifier) @name)))
  ]) @definition.prototype

(struct_specifier name: (type_identifier) @name body: (_) @body) @definition.struct
(union_specifier name: (type_identifier) @name body: (_) @body) @definition.struct
(enum_specifier name: (type_identifier) @name body: (_) @body) @definition.enum
(enumerator name: (identifier) @name) @definition.constant

(type_definition
  type: [(struct_specifier !name body: (_) @body) (union_specifier !name body: (_) @body)]
  declarator: (type_identifier) @name) @definition.struct
(type_definition
  type: (enum_specifier !name body: (_) @body)
  declarator: (type_identifier) @name) @definition.enum
(type_definition declarator: [
  (type_identifier) @name
  (pointer_declarator declarator: (type_identifier) @name)
  (array_declarator declarator: (type_identifier) @name)
  (function_declarator declarator: (type_identifier) @name)
  (function_declarator
    declarator: (parenthesized_declarator (pointer_declarator declarator: (type_identifier) @name)))
  (pointer_declarator declarator: (function_declarator
    declarator: (parenthesized_declarator (pointer_declarator declarator: (type_identifier) @name))))
]) @definition.type

(field_declaration declarator: [
  (field_identifier) @name
  (pointer_declarator declarator: (field_identifier) @name)
  (pointer_declarator declarator: (pointer_declarator declarator: (field_identifier) @name))
  (array_declarator declarator: (field_identifier) @name)
  (array_declarator declarator: (pointer_declarator declarator: (field_identifier) @name))
  (pointer_declarator declarator: (array_declarator declarator: (field_identifier) @name))
  (function_declarator
    declarator: (parenthesized_declarator (pointer_declarator declarator: (field_identifier) @name)))
]) @definition.field

; Variables of the file, also between #if lines; the same inside a function is dropped by the program.
(translation_unit
  (declaration declarator: [
    (identifier) @name
    (init_declarator declarator: (identifier) @name)
    (array_declarator declarator: (identifier) @name)
    (pointer_declarator declarator: (identifier) @name)
    (init_declarator declarator: (array_declarator declarator: (identifier) @name))
    (init_declarator declarator: (pointer_declarator declarator: (identifier) @name))
    (init_declarator declarator: (array_declarator
      declarator: (pointer_declarator declarator: (identifier) @name)))
    (init_declarator declarator: (pointer_declarator
      declarator: (array_declarator declarator: (identifier) @name)))
  ]) @definition.variable)

(preproc_ifdef
  (declaration declarator: [
    (identifier) @name
    (init_declarator declarator: (identifier) @name)
    (array_declarator declarator: (identifier) @name)
    (pointer_declarator declarator: (identifier) @name)
    (init_declarator declarator: (array_declarator declarator: (identifier) @name))
    (init_declarator declarator: (pointer_declarator declarator: (identifier) @name))
    (init_declarator declarator: (array_declarator
      declarator: (pointer_declarator declarator: (identifier) @name)))
    (init_declarator declarator: (pointer_declarator
      declarator: (array_declarator declarator: (identifier) @name)))
  ]) @definition.variable)

(preproc_if
  (declaration declarator: [
    (identifier) @name
    (init_declarator declarator: (identifier) @name)
    (array_declarator declarator: (identifier) @name)
    (pointer_declarator declarator: (identifier) @name)
    (init_declarator declarator: (array_declarator declarator: (identifier) @name))
    (init_declarator declarator: (pointer_declarator declarator: (identifier) @name))
    (init_declarator declarator: (array_declarator
      declarator: (pointer_declarator declarator: (identifier) @name)))
    (init_declarator declarator: (pointer_declarator
      declarator: (array_declarator declarator: (identifier) @name)))
  ]) @definition.variable)

(preproc_else
  (declaration declarator: [
    (identifier) @name
    (init_declarator declarator: (identifier) @name)
    (array_declarator declarator: (identifier) @name)
    (pointer_declarator declarator: (identifier) @name)
    (init_declarator declarator: (array_declarator declarator: (identifier) @name))
    (init_declarator declarator: (pointer_declarator declarator: (identifier) @name))
    (init_declarator declarator: (array_declarator
      declarator: (pointer_declarator declarator: (identifier) @name)))
    (init_declarator declarator: (pointer_declarator
      declarator: (array_declarator declarator: (identifier) @name)))
  ]) @definition.variable)

(declaration_list
  (declaration declarator: [
    (identifier) @name
    (init_declarator declarator: (identifier) @name)
    (array_declarator declarator: (identifier) @name)
    (pointer_declarator declarator: (identifier) @name)
    (init_declarator declarator: (array_declarator declarator: (identifier) @name))
    (init_declarator declarator: (pointer_declarator declarator: (identifier) @name))
    (init_declarator declarator: (array_declarator
      declarator: (pointer_declarator declarator: (identifier) @name)))
    (init_declarator declarator: (pointer_declarator
      declarator: (array_declarator declarator: (identifier) @name)))
  ]) @definition.variable)

; MACRO(name) { ... }
(function_definition
  type: (type_identifier)
  declarator: (parenthesized_declarator (identifier) @name)
  body: (_) @body) @definition.function

(preproc_def name: (identifier) @name value: (_)) @definition.macro
(preproc_function_def name: (identifier) @name value: (_)? @body) @definition.macro

(comment) @comment
