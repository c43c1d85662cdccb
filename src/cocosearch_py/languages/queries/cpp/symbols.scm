; Google Test and its like: TEST(suite, name) { ... }
((function_definition
  declarator: (function_declarator
    declarator: (identifier) @_macro
    parameters: (parameter_list
      . (parameter_declaration) @owner . (parameter_declaration) @name .))
  body: (_) @body) @definition.test
  (#any-of? @_macro "TEST" "TEST_F" "TEST_P" "TYPED_TEST" "TYPED_TEST_P"))

; Constructors: no type, in a class or named like their class
(field_declaration_list (function_definition !type
  declarator: (function_declarator declarator: (identifier) @name)) @definition.constructor)
(field_declaration_list (declaration !type
  declarator: (function_declarator declarator: (identifier) @name)) @definition.constructor)
((function_definition !type
  declarator: (function_declarator declarator: (qualified_identifier
    scope: (namespace_identifier) @owner name: (identifier) @name))) @definition.constructor
  (#eq? @owner @name))

((function_definition
  declarator: (function_declarator declarator: [
      (identifier) @name
      (field_identifier) @name
      (operator_name) @name
      (destructor_name) @name
      (template_function name: (identifier) @name)
      (parenthesized_declarator (identifier) @name)
      (qualified_identifier scope: [
          (namespace_identifier) @owner (template_type name: (_) @owner)]
        name: [(identifier) (operator_name) (destructor_name)] @name)
      (qualified_identifier scope: [
          (namespace_identifier) @owner (template_type name: (_) @owner)]
        name: (template_function name: (identifier) @name))
      (qualified_identifier scope: [
          (namespace_identifier) @owner (template_type name: (_) @owner)]
        name: (operator_cast) @name)
      (qualified_identifier scope: [
          (namespace_identifier) @owner (template_type name: (_) @owner)]
        name: (qualified_identifier scope: [
            (namespace_identifier) @owner (template_type name: (_) @owner)]
          name: [(identifier) (operator_name) (destructor_name)] @name))])
  body: (_)? @body) @definition.function
  (#not-match? @name "^(TEST|TEST_F|TEST_P|TYPED_TEST|TYPED_TEST_P)$"))
(function_definition
  declarator: (_ (function_declarator declarator: [
      (identifier) @name
      (field_identifier) @name
      (operator_name) @name
      (destructor_name) @name
      (template_function name: (identifier) @name)
      (parenthesized_declarator (identifier) @name)
      (qualified_identifier scope: [
          (namespace_identifier) @owner (template_type name: (_) @owner)]
        name: [(identifier) (operator_name) (destructor_name)] @name)
      (qualified_identifier scope: [
          (namespace_identifier) @owner (template_type name: (_) @owner)]
        name: (template_function name: (identifier) @name))
      (qualified_identifier scope: [
          (namespace_identifier) @owner (template_type name: (_) @owner)]
        name: (operator_cast) @name)
      (qualified_identifier scope: [
          (namespace_identifier) @owner (template_type name: (_) @owner)]
        name: (qualified_identifier scope: [
            (namespace_identifier) @owner (template_type name: (_) @owner)]
          name: [(identifier) (operator_name) (destructor_name)] @name))]))
  body: (_)? @body) @definition.function
(function_definition
  declarator: (pointer_declarator declarator: (_ (function_declarator declarator: (_) @name)))
  body: (_)? @body) @definition.function
(function_definition declarator: (operator_cast) @name body: (_)? @body)
  @definition.method
(declaration
  declarator: [
    (function_declarator declarator: [
      (identifier) @name
      (field_identifier) @name
      (operator_name) @name
      (destructor_name) @name
      (template_function name: (identifier) @name)
      (parenthesized_declarator (identifier) @name)])
    (_ (function_declarator declarator: [
      (identifier) @name
      (field_identifier) @name
      (operator_name) @name
      (destructor_name) @name
      (template_function name: (identifier) @name)
      (parenthesized_declarator (identifier) @name)]))
  ]) @definition.prototype
(declaration declarator: (operator_cast) @name) @definition.method
(field_declaration
  declarator: [
    (function_declarator declarator: [(field_identifier) (operator_name) (destructor_name)] @name)
    (_ (function_declarator declarator: [(field_identifier) (operator_name)] @name))
  ]) @definition.method

(class_specifier name: [
  (type_identifier) @name
  (template_type name: (_) @name)
  (qualified_identifier scope: (_) @owner name: (_) @name)] body: (_) @body) @definition.class
(struct_specifier name: [
  (type_identifier) @name
  (template_type name: (_) @name)
  (qualified_identifier scope: (_) @owner name: (_) @name)] body: (_) @body) @definition.struct
(union_specifier name: (type_identifier) @name body: (_) @body) @definition.struct
(enum_specifier name: (_) @name body: (_) @body) @definition.enum
(enumerator name: (identifier) @name) @definition.constant
(namespace_definition name: (_) @name body: (_) @body) @definition.namespace
(concept_definition name: (identifier) @name) @definition.type
(alias_declaration name: (type_identifier) @name) @definition.type
(template_declaration [
  (function_definition) (class_specifier) (struct_specifier) (union_specifier) (declaration)
  (alias_declaration) (concept_definition) (field_declaration) (template_declaration)] @wrapped) @wrapper
(field_declaration_list (access_specifier) @section)

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
  (reference_declarator (field_identifier) @name)
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
