; Kotlin definitions. A companion object without a name is left out, so that its members belong to the class,
; as callers write them.

[
  (line_comment)
  (block_comment)
] @comment

((class_declaration
  (modifiers)? @_modifiers
  "class"
  name: (identifier) @name
  (class_body)? @body) @definition.class
  (#not-match? @_modifiers "\\benum\\b"))

((class_declaration
  (modifiers) @_modifiers
  "class"
  name: (identifier) @name
  [(enum_class_body) (class_body)]? @body) @definition.enum
  (#match? @_modifiers "\\benum\\b"))

(class_declaration
  "interface"
  name: (identifier) @name
  (class_body)? @body) @definition.interface

(object_declaration
  name: (identifier) @name
  (class_body)? @body) @definition.object

(companion_object
  name: (identifier) @name
  (class_body)? @body) @definition.object

(enum_entry
  (identifier) @name) @definition.constant

(type_alias
  type: (identifier) @name) @definition.type

(secondary_constructor
  "constructor" @name
  (block)? @body) @definition.constructor

(function_declaration
  "fun"
  .
  (type_parameters)?
  .
  name: (identifier) @name
  (function_body)? @body) @definition.function

; Extension functions: the receiver's name is the owner.
(function_declaration
  ; include: kotlin/receiver
  name: (identifier) @name
  (function_body)? @body) @definition.function

(source_file
  (~property_declaration
    "val"
    .
    (variable_declaration . (identifier) @name)) @definition.constant)

(source_file
  (~property_declaration
    "var"
    .
    (variable_declaration . (identifier) @name)) @definition.variable)

(source_file
  (~property_declaration
    "val"
    (multi_variable_declaration
      (variable_declaration . (identifier) @name))) @definition.constant)

; Extension properties, in a file or in a class.
(property_declaration
  ; include: kotlin/receiver
  (variable_declaration . (identifier) @name)) @definition.property

(class_body
  (~property_declaration
    ["val" "var"]
    .
    (variable_declaration . (identifier) @name)) @definition.property)

(enum_class_body
  (~property_declaration
    ["val" "var"]
    .
    (variable_declaration . (identifier) @name)) @definition.property)

(class_parameter
  ["val" "var"]
  .
  (identifier) @name) @definition.property
