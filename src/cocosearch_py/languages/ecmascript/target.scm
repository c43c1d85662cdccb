(identifier) @name
(=member_expression property: (property_identifier) @name)
