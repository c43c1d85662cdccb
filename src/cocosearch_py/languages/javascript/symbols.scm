; include: ecmascript/chains
; include: ecmascript/symbols

(class_declaration name: (_) @name body: (class_body) @body) @definition.class
(field_definition
  property: (_) @name
  value: [(arrow_function body: (_) @body) (function_expression body: (_) @body)])
  @definition.method
(field_definition property: [(property_identifier) (private_property_identifier)] @name)
  @definition.field
