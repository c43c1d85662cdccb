; OCaml interfaces: what a module shows.

(comment) @comment

(module_definition
  (module_binding (module_name) @name)) @definition.module

(module_type_definition
  (module_type_name) @name
  body: (_)? @body) @definition.interface

(class_binding
  (class_name) @name) @definition.class

(type_definition
  (type_binding
    name: (_) @name)) @definition.type

(exception_definition
  (constructor_declaration (constructor_name) @name)) @definition.type

(variant_declaration
  (constructor_declaration (constructor_name) @name) @definition.constant)

(field_declaration
  (field_name) @name) @definition.field

(external
  (value_name) @name) @definition.function

(value_specification
  (value_name) @name
  type: (function_type)) @definition.function

(value_specification
  (value_name) @name
  type: (_)) @definition.constant
