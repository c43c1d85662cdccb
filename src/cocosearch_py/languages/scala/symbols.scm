; Scala 2 and 3 definitions.

[
  (comment)
  (block_comment)
] @comment

(class_definition) @definition.class @named @may_have_body

(trait_definition) @definition.trait @named @may_have_body

(object_definition) @definition.object @named @may_have_body

(package_object) @definition.object @named @may_have_body

(enum_definition) @definition.enum @named @may_have_body

(simple_enum_case) @definition.constant @named

(full_enum_case) @definition.constant @named

(type_definition
  name: (type_identifier) @name) @definition.type

; A given with a name, else it goes by the type that it provides.
(given_definition) @definition.impl @named @may_have_body

(given_definition
  !name
  return_type: (_) @name) @definition.impl @may_have_body

; An extension goes by the type that it extends.
(extension_definition
  parameters: (parameters
    . (~parameter
      type: [
        (type_identifier) @name
        (~generic_type type: (_) @name)
      ]))) @definition.extension

((function_definition
  name: (_) @name) @definition.function @may_have_body
  (#not-eq? @name "this"))

((function_definition
  name: (_) @name) @definition.constructor @may_have_body
  (#eq? @name "this"))

(function_declaration) @definition.function @named

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

; Kinds of nodes in this pattern would take 15 ms to compile.
(template_body
  (_ ; val_definition or var_definition
    pattern: [
      [(identifier) (operator_identifier)] @name
      (~identifiers (identifier) @name)
      (~tuple_pattern (identifier) @name)
    ]) @definition.property)

(template_body
  (_ ; val_declaration or var_declaration
    ["val" "var"] . name: (_) @name) @definition.property)

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
  class_parameters: (=class_parameters
    (=class_parameter name: (_) @name) @definition.property))

(class_parameter
  ["val" "var"]
  name: (_) @name) @definition.property
