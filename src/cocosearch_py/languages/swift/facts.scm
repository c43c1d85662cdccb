(call_expression . [
  (simple_identifier) @call
  (=navigation_expression target: (_) @qualifier suffix: (=navigation_suffix suffix: (simple_identifier) @call))
])
(constructor_expression constructed_type: (user_type (type_identifier) @call))

(inheritance_specifier inherits_from: (user_type (type_identifier) @inherit))
(type_identifier) @type
(simple_identifier) @read

(import_declaration (identifier) @module) @import

[(if_statement) (guard_statement) (for_statement) (while_statement) (repeat_while_statement) (catch_block)
 (ternary_expression)] @branch
(switch_entry "case") @branch
["&&" "||" "??"] @branch
[(if_statement) (for_statement) (while_statement) (repeat_while_statement) (switch_statement) (do_statement)] @nest

(function_declaration (parameter) @parameter)
(init_declaration (parameter) @parameter)
(subscript_declaration (parameter) @parameter)
