(class_declaration name: (_) @name body: (_) @body) @definition.class
(record_declaration name: (_) @name body: (_) @body) @definition.class
(record_declaration parameters: (formal_parameters [
  (formal_parameter name: (_) @name)
  (spread_parameter (variable_declarator name: (_) @name))
] @definition.field))
(interface_declaration name: (_) @name body: (_) @body) @definition.interface
(annotation_type_declaration name: (_) @name body: (_) @body) @definition.interface
(enum_declaration name: (_) @name body: (_) @body) @definition.enum
(enum_constant name: (_) @name) @definition.constant
(method_declaration name: (_) @name body: (_)? @body) @definition.method
(annotation_type_element_declaration name: (_) @name) @definition.method
(constructor_declaration name: (_) @name body: (_) @body) @definition.constructor
(compact_constructor_declaration name: (_) @name body: (_) @body) @definition.constructor
(field_declaration declarator: (variable_declarator name: (_) @name)) @definition.field
(constant_declaration declarator: (variable_declarator name: (_) @name)) @definition.constant
(program (local_variable_declaration declarator: (variable_declarator name: (identifier) @name)) @definition.field)
(module_declaration name: (_) @name) @definition.module

(line_comment) @comment
(block_comment) @comment
