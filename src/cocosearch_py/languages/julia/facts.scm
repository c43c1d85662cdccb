(call_expression . (identifier) @call)
(call_expression . (field_expression value: (_) @qualifier (identifier) @call))
(call_expression . (parametrized_type_expression . (identifier) @call))
(broadcast_call_expression . (identifier) @call)
(macrocall_expression (macro_identifier (identifier) @call))

(type_head (binary_expression (operator) . (identifier) @inherit))
(typed_expression "::" (identifier) @type)
(parametrized_type_expression . (identifier) @type)
(curly_expression (identifier) @type)

(using_statement [(identifier) (scoped_identifier) (import_path)] @module) @import
(import_statement [(identifier) (scoped_identifier) (import_path)] @module) @import
(selected_import . (_) @module (identifier) @imported) @import
(import_alias . (_) @module (identifier) @alias) @import
((call_expression . (identifier) @relative (argument_list . (string_literal) @module .)) @import
  (#eq? @relative "include"))

[(if_statement) (elseif_clause) (for_statement) (while_statement) (catch_clause) (ternary_expression)
 (if_clause) (for_clause)] @branch
((operator) @branch (#any-of? @branch "&&" "||"))
[(if_statement) (for_statement) (while_statement) (try_statement) (let_statement)] @nest
(signature (call_expression (argument_list (_) @parameter)))
(signature (typed_expression (call_expression (argument_list (_) @parameter))))
