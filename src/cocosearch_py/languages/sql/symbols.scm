; SQL: what CREATE makes. The schema is the owner.

(comment) @comment
(marginalia) @comment

(create_table
  (object_reference schema: (_)? @owner name: (_) @name)
  (column_definitions)? @body) @definition.struct

(column_definition
  name: (_) @name) @definition.field

(create_view
  . (_)* (object_reference schema: (_)? @owner name: (_) @name)
  . (keyword_as) @body) @definition.struct

(create_materialized_view
  (object_reference schema: (_)? @owner name: (_) @name)
  . (keyword_as) @body) @definition.struct

(create_function
  (object_reference schema: (_)? @owner name: (_) @name)
  . (function_arguments)
  (function_body) @body) @definition.function

(create_type
  (keyword_type) . (object_reference schema: (_)? @owner name: (_) @name)) @definition.type

(create_trigger
  (keyword_trigger) . (object_reference schema: (_)? @owner name: (_) @name)) @definition.function

(create_index
  column: (identifier) @name) @definition.object

(create_schema
  (identifier) @name) @definition.namespace
