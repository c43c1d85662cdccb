(function_call name: (identifier) @call)
(function_call name: (dot_index_expression table: (_) @qualifier field: (identifier) @call))
(function_call name: (method_index_expression table: (_) @qualifier method: (identifier) @call))
(function_call name: (bracket_index_expression table: (_) @qualifier field: (_) @computed))
(variable/identifier) @read

((assignment_statement
  (variable_list . name: (identifier) @alias)
  (expression_list . value: (function_call
    name: (identifier) @_require
    arguments: (arguments . (string) @module .)))) @import
  (#eq? @_require "require"))
((function_call name: (identifier) @_require arguments: (arguments . (string) @module .)) @import
  (#any-of? @_require "require" "dofile" "include"))

[(if_statement) (elseif_statement) (for_statement) (while_statement) (repeat_statement)] @branch
["and" "or"] @branch
[(if_statement) (for_statement) (while_statement) (repeat_statement)] @nest

(parameters [(identifier) (vararg_expression)] @parameter)
