; Swift definitions.

[
  (comment)
  (multiline_comment)
] @comment

(class_declaration
  declaration_kind: [
    "class" @definition.class
    "actor" @definition.class
    "struct" @definition.struct
    "enum" @definition.enum
    "extension" @definition.extension
  ] @of_parent
  name: (_) @name) @has_body

(protocol_declaration) @definition.protocol @named @has_body

(enum_entry
  name: (simple_identifier) @name) @definition.constant

(typealias_declaration
  name: (type_identifier) @name) @definition.type

(associatedtype_declaration
  name: (type_identifier) @name) @definition.type

(macro_declaration
  (simple_identifier) @name) @definition.macro

; An operator's name is an anonymous node. The returned type has the same field, hence the anchor. The body or more node
; types in this pattern make it slow to compile: this grammar is large.
(function_declaration
  "func"
  . name: _ @name) @definition.function @has_body

(protocol_function_declaration
  "func"
  . name: _ @name) @definition.method

(init_declaration
  "init" @name) @definition.constructor @may_have_body

(deinit_declaration
  "deinit" @name) @definition.method @may_have_body

(subscript_declaration
  "subscript" @name
  (computed_property)? @body) @definition.method

(source_file
  (~property_declaration
    (value_binding_pattern "let")
    name: (~pattern bound_identifier: (simple_identifier) @name)) @definition.constant)

(source_file
  (~property_declaration
    (value_binding_pattern "var")
    name: (~pattern bound_identifier: (simple_identifier) @name)
    computed_value: (computed_property)? @body) @definition.variable)

(class_body
  (~property_declaration
    name: (~pattern bound_identifier: (simple_identifier) @name)
    computed_value: (computed_property)? @body) @definition.property)

(enum_class_body
  (~property_declaration
    name: (~pattern bound_identifier: (simple_identifier) @name)
    computed_value: (computed_property)? @body) @definition.property)

(protocol_property_declaration
  name: (~pattern bound_identifier: (simple_identifier) @name)) @definition.property
