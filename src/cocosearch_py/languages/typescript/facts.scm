; include: ecmascript/facts

(class_heritage (extends_clause value: (identifier) @inherit))
(class_heritage (extends_clause
  value: (member_expression object: (_) @qualifier property: (property_identifier) @inherit)))
(implements_clause (type_identifier) @inherit)
(implements_clause (generic_type name: (type_identifier) @inherit))
(implements_clause (nested_type_identifier module: (_) @qualifier name: (type_identifier) @inherit))
(extends_type_clause (type_identifier) @inherit)
(extends_type_clause (generic_type name: (type_identifier) @inherit))
(primary_type/type_identifier) @type
(generic_type name: (type_identifier) @type)
(nested_type_identifier module: (_) @qualifier name: (type_identifier) @type)
(type_query (identifier) @type)

(import_statement (import_require_clause (identifier) @alias source: (string) @module)) @import

(formal_parameters [(required_parameter) (optional_parameter)] @parameter)
(arrow_function parameter: (identifier) @parameter)
