(call_expression function: [
  (identifier) @call
  (=field_expression object: (_) @qualifier member: (identifier) @call)
])
(struct_initializer . (identifier) @call)
(parameter type: (identifier) @type)
(pointer_type (identifier) @type)
(nullable_type (identifier) @type)
(error_union_type ok: (identifier) @type)
(function_declaration type: (identifier) @type)
(expression/identifier) @read

((variable_declaration (identifier) @alias (builtin_function
  (builtin_identifier) @_import (arguments (string) @module))) @import
  (#eq? @_import "@import"))
((builtin_function (builtin_identifier) @_import (arguments (string) @module)) @import
  (#any-of? @_import "@import" "@embedFile"))

[(if_statement) (if_expression) (for_statement) (while_statement) (catch_expression)] @branch
(switch_case (_) . "=>") @branch
["and" "or" "orelse"] @branch
[(if_statement) (for_statement) (while_statement) (switch_expression)] @nest
(parameters (parameter) @parameter)
