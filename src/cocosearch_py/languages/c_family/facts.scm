; What C and C++ write alike.
(call_expression function: [
  (identifier) @call
  (field_expression argument: (_) @qualifier field: (field_identifier) @call)
  (parenthesized_expression (pointer_expression argument: (identifier) @call))
])

(struct_specifier name: (type_identifier) @type !body)
(type_identifier) @type
(expression/identifier) @read

(preproc_include path: [(string_literal) (system_lib_string)] @module) @import

[(if_statement) (for_statement) (while_statement) (do_statement) (conditional_expression)] @branch
(case_statement value: (_)) @branch
; Captured as a whole so that no more than MAX_OPEN_MATCHES wait for their operator: see parsing/source.py.
(binary_expression ["&&" "||"] @branch) @_operation
[(for_statement) (while_statement) (do_statement) (switch_statement)] @nest
(if_statement consequence: (_) @nest)
(else_clause (compound_statement) @nest)

((parameter_declaration) @parameter (#not-eq? @parameter "void"))
