(namespace_declaration name: (_) @name body: (_) @body) @definition.namespace
(file_scoped_namespace_declaration name: (_) @file_scope)
((class_declaration name: (_) @name body: (_)? @body) @definition.class
  (#not-eq? @name "__e"))
(record_declaration name: (_) @name body: (_)? @body) @definition.class
(struct_declaration name: (_) @name body: (_)? @body) @definition.struct
(interface_declaration name: (_) @name body: (_)? @body) @definition.interface
(enum_declaration name: (_) @name body: (_)? @body) @definition.enum
(enum_member_declaration name: (_) @name) @definition.constant
(delegate_declaration name: (_) @name) @definition.type
(method_declaration name: (_) @name body: (_)? @body) @definition.method
(constructor_declaration name: (_) @name body: (_)? @body) @definition.constructor
(destructor_declaration name: (_) @name body: (_)? @body) @definition.method
(operator_declaration operator: _ @name body: (_)? @body) @definition.method
(conversion_operator_declaration type: (_) @name body: (_)? @body) @definition.method
(indexer_declaration "this" @name accessors: (_)? @body) @definition.property
(property_declaration name: (_) @name accessors: (_) @body) @definition.property
(property_declaration name: (_) @name value: (arrow_expression_clause) @body) @definition.property
(property_declaration name: (_) @name) @definition.property
(event_declaration name: (_) @name accessors: (_)? @body) @definition.property
(event_field_declaration (variable_declaration (variable_declarator name: (_) @name)))
  @definition.field
(field_declaration (variable_declaration (variable_declarator name: (_) @name))) @definition.field
(local_function_statement name: (_) @name body: (_)? @body) @definition.function

(comment) @comment
