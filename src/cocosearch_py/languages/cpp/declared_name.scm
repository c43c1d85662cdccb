(identifier) @name
(field_identifier) @name
(operator_name) @name
(destructor_name) @name
(~template_function name: (identifier) @name)
(~parenthesized_declarator (identifier) @name)
