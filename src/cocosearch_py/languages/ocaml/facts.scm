(application_expression function: (value_path (value_name) @call .))
(application_expression function: (value_path (module_path) @qualifier (value_name) @call .))
(application_expression function: (constructor_path (constructor_name) @call))
(method_invocation object: (_) @qualifier method: (method_name) @call)
(new_expression (class_path (class_name) @call))

(inheritance_definition class: (class_path (class_name) @inherit))
(type_constructor_path (type_constructor) @type .)
(type_constructor_path (extended_module_path) @qualifier (type_constructor) @type .)
(value_path (value_name) @read)

(open_module module: (module_path) @module) @import
(include_module module: (module_path) @module) @import
(module_binding (module_name) @alias body: (module_path) @module) @import

[(if_expression) (match_case) (for_expression) (while_expression) (and_operator) (or_operator)] @branch
[(if_expression) (match_expression) (for_expression) (while_expression) (try_expression)] @nest
(let_binding (parameter) @parameter)
