; Calls; a decorator calls what it names.
(call function: [
  (identifier) @call
  (=attribute object: (_) @qualifier attribute: (identifier) @call)
  ; In a list whose first item is *f(x), the grammar calls *f.
  (list_splat [(identifier) @call (=attribute object: (_) @qualifier attribute: (identifier) @call)])
])
(decorator [(identifier) @call (=attribute object: (_) @qualifier attribute: (identifier) @call)])

(class_definition superclasses: (=argument_list [
  (identifier) @inherit
  (=attribute object: (_) @qualifier attribute: (identifier) @inherit)
  (subscript value: [(identifier) @inherit (=attribute object: (_) @qualifier attribute: (identifier) @inherit)])
]))

; Annotations, also those in quotes; a union is an operator to the grammar.
(type [
  (identifier) @type
  (=attribute object: (_) @qualifier attribute: (identifier) @type)
  (subscript value: (identifier) @type)
  (binary_operator [(identifier) @type (binary_operator (identifier) @type)])
  (string . (string_start) . (string_content) @type . (string_end) .)
])
(generic_type . (identifier) @type)
(except_clause value: [
  (identifier) @type
  (as_pattern (identifier) @type)
  (=attribute object: (_) @qualifier attribute: (identifier) @type)
])

; Types of locals, parameters and attributes
(assignment left: [(identifier) (attribute)] @local right: (call function: (_) @made))
(assignment left: [(identifier) (attribute)] @local right: (await (call function: (_) @made)))
(assignment left: [(identifier) (attribute)] @local type: (type) @of)
(assignment left: [(identifier) (attribute)] @local right: [(identifier) (attribute) (subscript)] @same)
(named_expression name: (identifier) @local value: (call function: (_) @made))
(typed_parameter . (identifier) @local type: (type) @of)
(typed_default_parameter name: (identifier) @local type: (type) @of)
(as_pattern (=call function: (_) @made) alias: (=as_pattern_target (identifier) @local))
(for_statement left: (identifier) @local right: [(identifier) (attribute) (call)] @each)
(for_in_clause left: (identifier) @local right: [(identifier) (attribute) (call)] @each)
(decorated_definition . (decorator (_) @decorated) definition: (function_definition name: (identifier) @local))

; What functions give
(function_definition return_type: (type) @gives.of)
(return_statement (call function: (_) @gives.made))
(return_statement [(identifier) (attribute)] @gives.same)
(yield [(identifier) (attribute) (call)] @gives.yielded)

(primary_expression/identifier) @read

(import_statement name: (dotted_name) @module) @import
(import_statement name: (aliased_import name: (dotted_name) @module alias: (identifier) @alias)) @import
(import_from_statement module_name: (_) @module name: (dotted_name) @imported) @import
(import_from_statement
  module_name: (_) @module
  name: (aliased_import name: (dotted_name) @imported alias: (identifier) @alias)) @import
(import_from_statement module_name: (_) @module (wildcard_import) @wildcard) @import

[(if_statement) (for_statement) (while_statement) (try_statement) (with_statement) (match_statement)] @nest
[(if_statement) (elif_clause) (for_statement) (while_statement) (except_clause) (case_clause)
 (conditional_expression) (boolean_operator) (for_in_clause) (if_clause) (assert_statement)] @branch
(for_statement alternative: (_) @branch)
(while_statement alternative: (_) @branch)
(try_statement (else_clause) @branch)

((parameters (identifier) @parameter) (#not-match? @parameter "^(self|cls)$"))
(parameters [(default_parameter) (typed_parameter) (typed_default_parameter)
  (list_splat_pattern) (dictionary_splat_pattern)] @parameter)
