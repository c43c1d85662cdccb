(call_expression . (identifier) @call)
(call_expression . (~navigation_expression . (_) @qualifier (identifier) @call .))
(annotation (=constructor_invocation (=user_type (identifier) @call .)))
(callable_reference (identifier) @call .)
(infix_expression (_) @qualifier . (identifier) @call . (_))

(delegation_specifier [
  (~user_type (identifier) @inherit .)
  (~user_type (identifier) @inherit . (type_arguments))
  (~constructor_invocation (~user_type (identifier) @inherit .))
  (~constructor_invocation (~user_type (identifier) @inherit . (type_arguments)))
])
(user_type (identifier) @type .)
(user_type (identifier) @type . (type_arguments))
(primary_expression/identifier) @read

((import
  (qualified_identifier
    . (identifier) @module . ("." @module . (identifier) @module)* . "." . (identifier) @imported .)
  (identifier)? @alias) @import
  (#not-match? @import "[*]$"))
(import (qualified_identifier) @module "*" @wildcard) @import

[(if_expression) (for_statement) (while_statement) (do_while_statement) (catch_block)] @branch
(when_entry condition: (_)) @branch
["&&" "||" "?:"] @branch
[(for_statement) (while_statement) (do_while_statement) (when_expression) (try_expression)] @nest
(if_expression (block) @nest)

(function_value_parameters (parameter) @parameter)
(class_parameter) @parameter
