; include: typescript/facts

[(jsx_opening_element name: (identifier) @call) (jsx_self_closing_element name: (identifier) @call)]
[(jsx_opening_element
  name: (=member_expression object: (_) @qualifier property: (property_identifier) @call))
 (jsx_self_closing_element
  name: (=member_expression object: (_) @qualifier property: (property_identifier) @call))]
