(call_expression function: [
  (=qualified_identifier scope: (_) @qualifier name: [
    (identifier) @call
    (_ name: (identifier) @call) ; a template, or qualified once more
  ])
  (template_function name: (identifier) @call)
  (=field_expression argument: (_) @qualifier field: (=template_method name: (field_identifier) @call))
])
(new_expression type: [
  (type_identifier) @call
  (~template_type name: (type_identifier) @call)
  (~qualified_identifier scope: (_) @qualifier name: (type_identifier) @call)
])

(base_class_clause [
  (type_identifier) @inherit
  (~template_type name: (type_identifier) @inherit)
  (~qualified_identifier scope: (_) @qualifier name: [
    (type_identifier) @inherit
    (~template_type name: (type_identifier) @inherit)
  ])
])
(qualified_identifier scope: (_) @qualifier name: (type_identifier) @type)
(qualified_identifier scope: (namespace_identifier) @type)

[(for_range_loop) (catch_clause)] @branch
[(for_range_loop) (try_statement)] @nest
[(optional_parameter_declaration) (variadic_parameter_declaration)] @parameter

; include: c_family/facts
