(call_expression function: (identifier) @call)
(call_expression function: (selector_expression operand: (_) @qualifier field: (field_identifier) @call))
(call_expression function: (index_expression operand: (identifier) @call))
(call_expression function: (index_expression
  operand: (selector_expression operand: (_) @qualifier field: (field_identifier) @call)))

(field_declaration !name type: (type_identifier) @inherit)
(field_declaration !name type: (qualified_type package: (_) @qualifier name: (type_identifier) @inherit))
(interface_type (type_elem . (type_identifier) @inherit .))
(interface_type (type_elem . (qualified_type package: (_) @qualifier name: (type_identifier) @inherit) .))
(qualified_type package: (_) @qualifier name: (type_identifier) @type)
((type_identifier) @type (#not-match? @type
  "^(string|error|bool|byte|any|rune|u?int(8|16|32|64)?|float(32|64))$"))
(_expression/identifier) @read

(import_spec !name path: (_) @module) @import
(import_spec name: (package_identifier) @alias path: (_) @module) @import
(import_spec name: (blank_identifier) path: (_) @module) @import
(import_spec name: (dot) @wildcard path: (_) @module) @import

[(if_statement) (for_statement) (expression_case) (type_case) (communication_case)] @branch
(binary_expression operator: ["&&" "||"]) @branch
[(for_statement) (expression_switch_statement) (type_switch_statement) (select_statement)] @nest
(if_statement consequence: (_) @nest)
(if_statement alternative: (block) @nest)

(function_declaration parameters: (parameter_list (_ name: (identifier) @parameter)))
(function_declaration parameters: (parameter_list (parameter_declaration !name) @parameter))
(method_declaration parameters: (parameter_list (_ name: (identifier) @parameter)))
(method_declaration parameters: (parameter_list (parameter_declaration !name) @parameter))
