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
