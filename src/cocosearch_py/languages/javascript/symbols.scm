; include: ecmascript/chains
; include: ecmascript/symbols

(class_declaration) @definition.class @named @has_body
(field_definition
  property: (_) @name
  value: [(arrow_function) (function_expression)] @has_body)
  @definition.method
(field_definition property: [(property_identifier) (private_property_identifier)] @name)
  @definition.field
