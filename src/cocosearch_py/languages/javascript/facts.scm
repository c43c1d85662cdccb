; include: ecmascript/facts

(class_heritage [
  (identifier) @inherit
  (=member_expression object: (_) @qualifier property: (property_identifier) @inherit)])
[(jsx_opening_element name: (identifier) @call) (jsx_self_closing_element name: (identifier) @call)]
[(jsx_opening_element
  name: (=member_expression object: (_) @qualifier property: (property_identifier) @call))
 (jsx_self_closing_element
  name: (=member_expression object: (_) @qualifier property: (property_identifier) @call))]

(formal_parameters (_) @parameter)
(arrow_function parameter: (identifier) @parameter)
