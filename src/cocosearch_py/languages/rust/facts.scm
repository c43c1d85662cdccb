(call_expression function: (identifier) @call)
(call_expression function: (field_expression value: (_) @qualifier field: (field_identifier) @call))
(call_expression function: (scoped_identifier path: (_) @qualifier name: (identifier) @call))
(generic_function function: [
  (identifier) @call
  (=field_expression value: (_) @qualifier field: (field_identifier) @call)
  (=scoped_identifier path: (_) @qualifier name: (identifier) @call)
])
(macro_invocation macro: [
  (identifier) @call
  (=scoped_identifier path: (_) @qualifier name: (identifier) @call)
])
; Arguments of a macro are not parsed.
(token_tree (identifier) @call . (token_tree . "("))

(impl_item trait: [
  (type_identifier) @inherit
  (=generic_type type: (type_identifier) @inherit)
  (=scoped_type_identifier path: (_) @qualifier name: (type_identifier) @inherit)
])
(trait_item bounds: (trait_bounds (type_identifier) @inherit))
(scoped_type_identifier path: (_) @qualifier name: (type_identifier) @type)
(type_identifier) @type
(_expression/identifier) @read

; In a module inside of the file, `super` is the file itself.
(source_file
  ; include: rust/use
)
(block
  ; include: rust/use
)
((mod_item body: (declaration_list
  ; include: rust/use
)) (#not-match? @module "^super"))
(mod_item name: (identifier) @module !body) @import

[(if_expression) (while_expression) (for_expression) (loop_expression) (match_arm) (try_expression)] @branch
(binary_expression operator: ["&&" "||"]) @branch
(match_pattern condition: (_) @branch)
[(while_expression) (for_expression) (loop_expression) (match_expression)] @nest
(if_expression consequence: (_) @nest)
(else_clause (block) @nest)

(parameters [(parameter) (self_parameter)] @parameter)
