(namespace_declaration) @definition.namespace @named @has_body
(file_scoped_namespace_declaration name: (_) @file_scope)
((class_declaration name: (_) @name) @definition.class @may_have_body
  (#not-eq? @name "__e"))
(record_declaration) @definition.class @named @may_have_body
(struct_declaration) @definition.struct @named @may_have_body
(interface_declaration) @definition.interface @named @may_have_body
(enum_declaration) @definition.enum @named @may_have_body
(enum_member_declaration) @definition.constant @named
(delegate_declaration) @definition.type @named
(method_declaration) @definition.method @named @may_have_body
(constructor_declaration) @definition.constructor @named @may_have_body
(destructor_declaration) @definition.method @named @may_have_body
(operator_declaration operator: _ @name body: (_)? @body) @definition.method
(conversion_operator_declaration type: (_) @name body: (_)? @body) @definition.method
(indexer_declaration "this" @name accessors: (_)? @body) @definition.property
(property_declaration name: (_) @name accessors: (_) @body) @definition.property
(property_declaration name: (_) @name value: (arrow_expression_clause) @body) @definition.property
(property_declaration) @definition.property @named
(event_declaration name: (_) @name accessors: (_)? @body) @definition.property
(event_field_declaration (variable_declaration (variable_declarator name: (_) @name)))
  @definition.field
(field_declaration (variable_declaration (variable_declarator name: (_) @name))) @definition.field
(local_function_statement) @definition.function @named @may_have_body

(comment) @comment
