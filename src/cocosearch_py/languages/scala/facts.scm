(call_expression function: [
  (identifier) @call
  (field_expression value: (_) @qualifier field: (identifier) @call)
  (generic_function function: [
    (identifier) @call
    (=field_expression value: (_) @qualifier field: (identifier) @call)
  ])
])
(instance_expression [(type_identifier) @call (generic_type type: (type_identifier) @call)])
(infix_expression left: (_) @qualifier operator: (identifier) @call)

(extends_clause (type_identifier) @inherit)
(extends_clause (generic_type type: (type_identifier) @inherit))
(type_identifier) @type
(expression/identifier) @read

(import_declaration
  . (identifier) @module . ("." @module . (identifier) @module)* . "." . (identifier) @imported .) @import
(import_declaration
  . (identifier) @module . ("." @module . (identifier) @module)* . "." . (namespace_wildcard) @wildcard .) @import
(import_declaration
  . (identifier) @module . ("." @module . (identifier) @module)* . "."
  . (namespace_selectors [
    (identifier) @imported
    (arrow_renamed_identifier name: (identifier) @imported alias: (identifier) @alias)
    (as_renamed_identifier name: (identifier) @imported alias: (identifier) @alias)
    (namespace_wildcard) @wildcard
  ])) @import

[(if_expression) (while_expression) (do_while_expression) (for_expression) (case_clause) (guard)] @branch
((operator_identifier) @branch (#any-of? @branch "&&" "||"))
[(while_expression) (do_while_expression) (for_expression) (match_expression) (try_expression)] @nest
(if_expression consequence: (_) @nest)

(parameters (parameter) @parameter)
