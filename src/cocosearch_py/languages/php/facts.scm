; Calls, also of names made at run time
(function_call_expression function: [
  (name) @call
  (qualified_name (name) @call .)
  (variable_name) @computed
  (dynamic_variable_name) @computed
])
(member_call_expression object: (_) @qualifier name: [
  (name) @call
  (variable_name) @computed
  (dynamic_variable_name) @computed
  (expression) @computed
])
(nullsafe_member_call_expression object: (_) @qualifier name: [(name) @call (variable_name) @computed])
(scoped_call_expression scope: (_) @qualifier name: [(name) @call (variable_name) @computed])
(object_creation_expression [
  (name) @call
  (qualified_name (name) @call .)
  (variable_name) @computed
])
(attribute (name) @call)

(base_clause [(name) @inherit (qualified_name (name) @inherit .)])
(class_interface_clause [(name) @inherit (qualified_name (name) @inherit .)])
(use_declaration [(name) @inherit (qualified_name (name) @inherit .)])
(named_type [(name) @type (qualified_name (name) @type .)])
(scoped_call_expression scope: (name) @type)
(scoped_property_access_expression scope: (name) @type)
(class_constant_access_expression . (name) @type)
("instanceof" . (name) @type)
(primary_expression/name) @read

(namespace_use_declaration (namespace_use_clause
  (qualified_name (namespace_name) @module (name) @imported .)
  alias: (name)? @alias)) @import
(namespace_use_declaration (namespace_use_clause . (name) @module alias: (name)? @alias)) @import
(namespace_use_declaration
  (namespace_name) @module
  (namespace_use_group (namespace_use_clause . (name) @imported alias: (name)? @alias))) @import
[
  (require_expression (_) @module)
  (require_once_expression (_) @module)
  (include_expression (_) @module)
  (include_once_expression (_) @module)
] @import

[(if_statement) (else_if_clause) (for_statement) (foreach_statement) (while_statement) (do_statement) (case_statement)
 (match_conditional_expression) (catch_clause) (conditional_expression)] @branch
["&&" "||" "and" "or" "xor" "??"] @branch
[(for_statement) (foreach_statement) (while_statement) (do_statement) (switch_statement) (try_statement)
 (match_expression)] @nest
(if_statement body: (_) @nest)

(formal_parameters (_) @parameter)
