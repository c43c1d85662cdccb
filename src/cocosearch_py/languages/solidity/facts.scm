(call_expression function: (expression (identifier) @call))
(call_expression function: (expression (member_expression object: (_) @qualifier property: (identifier) @call)))
(new_expression name: (type_name (user_defined_type (identifier) @call .)))
(emit_statement name: (expression (identifier) @call))
(revert_statement error: (expression (identifier) @call))
(modifier_invocation (identifier) @call)

(inheritance_specifier ancestor: (user_defined_type (identifier) @inherit .))
(user_defined_type (identifier) @type .)
(using_directive (type_alias (identifier) @type))
(expression (identifier) @read)

(import_directive !import_name !alias source: (string) @module) @import
(import_directive import_name: (identifier) @imported source: (string) @module) @import
(import_directive !import_name alias: (identifier) @alias source: (string) @module) @import

[(if_statement) (for_statement) (while_statement) (do_while_statement) (catch_clause) (ternary_expression)] @branch
["&&" "||"] @branch
[(if_statement) (for_statement) (while_statement) (do_while_statement) (try_statement)] @nest
(function_definition (parameter) @parameter)
