(method_invocation !object name: (identifier) @call)
(method_invocation object: (_) @qualifier name: (identifier) @call)
(object_creation_expression type: (type_identifier) @call)
(object_creation_expression type: (generic_type . (type_identifier) @call))
(object_creation_expression type: (scoped_type_identifier . (_) @qualifier (type_identifier) @call .))
(explicit_constructor_invocation constructor: (super) @call)
(method_reference . (_) @qualifier (identifier) @call .)
(marker_annotation name: (identifier) @call)
(annotation name: (identifier) @call)

(superclass (type_identifier) @inherit)
(superclass (generic_type . (type_identifier) @inherit))
(superclass (scoped_type_identifier (_) @qualifier (type_identifier) @inherit .))
(type_list (type_identifier) @inherit)
(type_list (generic_type . (type_identifier) @inherit))
(type_list (scoped_type_identifier (_) @qualifier (type_identifier) @inherit .))
(scoped_type_identifier (_) @qualifier (type_identifier) @type .)
(type_identifier) @type
(primary_expression/identifier) @read

(import_declaration (scoped_identifier scope: (_) @module name: (identifier) @imported) . ";") @import
(import_declaration (scoped_identifier) @module (asterisk) @wildcard) @import

[(if_statement) (for_statement) (enhanced_for_statement) (while_statement) (do_statement) (catch_clause)
 (ternary_expression)] @branch
(switch_label "case") @branch
(binary_expression operator: ["&&" "||"]) @branch
[(for_statement) (enhanced_for_statement) (while_statement) (do_statement) (switch_expression) (try_statement)
 (try_with_resources_statement) (synchronized_statement)] @nest
(if_statement consequence: (_) @nest)
(if_statement alternative: (block) @nest)

(formal_parameters [(formal_parameter) (spread_parameter)] @parameter)
