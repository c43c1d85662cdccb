; Google Test and its like: TEST(suite, name) { ... }
((function_definition
  declarator: (~function_declarator
    declarator: (identifier) @_macro
    parameters: (~parameter_list
      . (parameter_declaration) @owner . (parameter_declaration) @name .))) @definition.test @has_body
  (#any-of? @_macro "TEST" "TEST_F" "TEST_P" "TYPED_TEST" "TYPED_TEST_P"))

; Constructors: no type, in a class or named like their class
(field_declaration_list (function_definition !type
  declarator: (~function_declarator declarator: (identifier) @name)) @definition.constructor)
(field_declaration_list (declaration !type
  declarator: (~function_declarator declarator: (identifier) @name)) @definition.constructor)
((function_definition !type
  declarator: (~function_declarator declarator: (~qualified_identifier
    scope: (namespace_identifier) @owner name: (identifier) @name))) @definition.constructor
  (#eq? @owner @name))

((function_definition
  declarator: (~function_declarator declarator: [
      ; include: cpp/defined_name
    ])) @definition.function @may_have_body
  (#not-match? @name "^(TEST|TEST_F|TEST_P|TYPED_TEST|TYPED_TEST_P)$"))
(function_definition
  declarator: (_ (~function_declarator declarator: [
      ; include: cpp/defined_name
    ]))) @definition.function @may_have_body
(function_definition
  declarator: (~pointer_declarator declarator: (_ (~function_declarator declarator: (_) @name))))
  @definition.function @may_have_body
(function_definition declarator: (~operator_cast) @name) @definition.method @may_have_body
(declaration
  declarator: [
    (~function_declarator declarator: [
      ; include: cpp/declared_name
    ])
    (_ (~function_declarator declarator: [
      ; include: cpp/declared_name
    ]))
  ]) @definition.prototype
(declaration declarator: (operator_cast) @name) @definition.method
(field_declaration
  declarator: [
    (~function_declarator declarator: [(field_identifier) (operator_name) (destructor_name)] @name)
    (_ (~function_declarator declarator: [(field_identifier) (operator_name)] @name))
  ]) @definition.method

(class_specifier name: [
  (type_identifier) @name
  (~template_type name: (_) @name)
  (~qualified_identifier scope: (_) @owner name: (_) @name)]) @definition.class @has_body
(struct_specifier name: [
  (type_identifier) @name
  (~template_type name: (_) @name)
  (~qualified_identifier scope: (_) @owner name: (_) @name)]) @definition.struct @has_body
(enum_specifier) @definition.enum @named @has_body
(namespace_definition) @definition.namespace @named @has_body
(concept_definition name: (identifier) @name) @definition.type
(alias_declaration name: (type_identifier) @name) @definition.type
(template_declaration [
  (function_definition) (class_specifier) (struct_specifier) (union_specifier) (declaration)
  (alias_declaration) (concept_definition) (field_declaration) (template_declaration)] @wrapped) @wrapper
(field_declaration_list (access_specifier) @section)
(field_declaration declarator: (reference_declarator (field_identifier) @name)) @definition.field

; include: c_family/symbols
