; Scala 2 and 3 definitions.

[
  (comment)
  (block_comment)
] @comment

(class_definition
  name: (_) @name
  body: (_)? @body) @definition.class

(trait_definition
  name: (_) @name
  body: (_)? @body) @definition.trait

(object_definition
  name: (_) @name
  body: (_)? @body) @definition.object

(package_object
  name: (_) @name
  body: (_)? @body) @definition.object

(enum_definition
  name: (_) @name
  body: (_)? @body) @definition.enum

(simple_enum_case
  name: (_) @name) @definition.constant

(full_enum_case
  name: (_) @name) @definition.constant

(type_definition
  name: (type_identifier) @name) @definition.type

; A given with a name, else it goes by the type that it provides.
(given_definition
  name: (_) @name
  body: (_)? @body) @definition.impl

(given_definition
  !name
  return_type: (_) @name
  body: (_)? @body) @definition.impl

; An extension goes by the type that it extends.
(extension_definition
  parameters: (parameters
    . (~parameter
      type: [
        (type_identifier) @name
        (~generic_type type: (_) @name)
      ]))) @definition.extension

((function_definition
  name: (_) @name
  body: (_)? @body) @definition.function
  (#not-eq? @name "this"))

((function_definition
  name: (_) @name
  body: (_)? @body) @definition.constructor
  (#eq? @name "this"))

(function_declaration
  name: (_) @name) @definition.function

(compilation_unit
  (val_definition
    pattern: [
      [(identifier) (operator_identifier)] @name
      (~identifiers (identifier) @name)
      (~tuple_pattern (identifier) @name)
    ]) @definition.constant)

(compilation_unit
  (~var_definition
    pattern: (identifier) @name) @definition.variable)

(template_body
  [
    (val_definition
      pattern: [
        [(identifier) (operator_identifier)] @name
        (~identifiers (identifier) @name)
        (~tuple_pattern (identifier) @name)
      ])
    (var_definition
      pattern: [
        (identifier) @name
        (~identifiers (identifier) @name)
      ])
    (val_declaration name: (_) @name)
    (var_declaration name: (_) @name)
  ] @definition.property)

(enum_body
  [
    (~val_definition pattern: (identifier) @name)
    (~var_definition pattern: (identifier) @name)
    (~val_declaration name: (_) @name)
    (~var_declaration name: (_) @name)
  ] @definition.property)

(with_template_body
  [
    (~val_definition pattern: (identifier) @name)
    (~var_definition pattern: (identifier) @name)
  ] @definition.property)

; Every parameter of a case class is a field, and every parameter with val or var.
(class_definition
  "case"
  class_parameters: (class_parameters
    (class_parameter name: (_) @name) @definition.property))

(class_parameter
  ["val" "var"]
  name: (_) @name) @definition.property
