(invocation_expression function: [
  (identifier) @call
  (~generic_name . (identifier) @call)
  (~member_access_expression expression: _ @qualifier name: [(identifier) @call (~generic_name . (identifier) @call)])
  (~conditional_access_expression condition: (_) @qualifier
    (~member_binding_expression name: [(identifier) @call (~generic_name . (identifier) @call)]))
])
(object_creation_expression type: [
  (identifier) @call
  (~generic_name . (identifier) @call)
  (~qualified_name qualifier: (_) @qualifier name: (identifier) @call)
])
(attribute name: (identifier) @call)

(base_list (identifier) @inherit)
(base_list (generic_name . (identifier) @inherit))
(base_list (qualified_name qualifier: (_) @qualifier name: (identifier) @inherit))
(base_list (primary_constructor_base_type type: (identifier) @inherit))
(_ type: (identifier) @type)
(method_declaration returns: (identifier) @type)
(generic_name . (identifier) @type)
(type_argument_list (identifier) @type)
(is_pattern_expression pattern: (constant_pattern (identifier) @type))
(["as" "is"] . (identifier) @type)
(lvalue_expression/identifier) @read

(using_directive !name [(identifier) (qualified_name)] @module) @import
(using_directive name: (identifier) @alias [(qualified_name) (generic_name)] @module) @import

[(if_statement) (for_statement) (foreach_statement) (while_statement) (do_statement) (catch_clause)
 (conditional_expression) (switch_expression_arm)] @branch
(switch_section "case") @branch
["&&" "||" "??"] @branch
[(for_statement) (foreach_statement) (while_statement) (do_statement) (switch_statement) (try_statement)
 (using_statement) (lock_statement)] @nest
(if_statement consequence: (_) @nest)
(if_statement alternative: (block) @nest)

(parameter) @parameter
"params" @parameter
