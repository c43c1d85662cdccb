; include: ecmascript/facts

(class_heritage (extends_clause value: (identifier) @inherit))
(class_heritage (~extends_clause
  value: (=member_expression object: (_) @qualifier property: (property_identifier) @inherit)))
(implements_clause (type_identifier) @inherit)
(implements_clause (~generic_type name: (type_identifier) @inherit))
(implements_clause (~nested_type_identifier module: (_) @qualifier name: (type_identifier) @inherit))
(extends_type_clause (type_identifier) @inherit)
(extends_type_clause (~generic_type name: (type_identifier) @inherit))
(primary_type/type_identifier) @type
(generic_type name: (type_identifier) @type)
(nested_type_identifier module: (_) @qualifier name: (type_identifier) @type)
(type_query (identifier) @type)

(call_expression function: (non_null_expression (=subscript_expression object: (_) @qualifier index: (_) @computed)))

; Types of locals, parameters and fields
(required_parameter pattern: (identifier) @local type: (type_annotation (_) @of))
(optional_parameter pattern: (identifier) @local type: (type_annotation (_) @of))
(required_parameter (accessibility_modifier) pattern: (identifier) @field type: (type_annotation (_) @of))
(optional_parameter (accessibility_modifier) pattern: (identifier) @field type: (type_annotation (_) @of))
(variable_declarator name: (identifier) @local type: (type_annotation (_) @of))
(class_body (=public_field_definition name: (_) @field type: (type_annotation (_) @of)))
(class_body (=public_field_definition name: (_) @field value: (=new_expression constructor: (_) @of)))

(import_statement (import_require_clause (identifier) @alias source: (string) @module)) @import

(formal_parameters [(required_parameter) (optional_parameter)] @parameter)
(arrow_function parameter: (identifier) @parameter)

; export = a
(export_statement "=" (identifier) @exported.whole)
