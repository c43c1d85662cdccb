; Swift definitions.

[
  (comment)
  (multiline_comment)
] @comment

(class_declaration
  declaration_kind: ["class" "actor"]
  name: (type_identifier) @name
  body: (class_body) @body) @definition.class

(class_declaration
  declaration_kind: "struct"
  name: (type_identifier) @name
  body: (class_body) @body) @definition.struct

(class_declaration
  declaration_kind: "enum"
  name: (type_identifier) @name
  body: (enum_class_body) @body) @definition.enum

(class_declaration
  declaration_kind: "extension"
  name: (_) @name
  body: (_) @body) @definition.extension

(protocol_declaration
  name: (type_identifier) @name
  body: (protocol_body) @body) @definition.protocol

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
  "init" @name
  body: (function_body)? @body) @definition.constructor

(deinit_declaration
  "deinit" @name
  body: (function_body)? @body) @definition.method

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
