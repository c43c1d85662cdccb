; A decorated definition begins at its first decorator, its signature at "def" or "class".
(function_definition
  name: (identifier) @name
  body: (block . (expression_statement (string) @docstring)?) @body) @definition.function @signature

(class_definition
  name: (identifier) @name
  body: (block . (expression_statement (string) @docstring)?) @body) @definition.class @signature

(decorated_definition definition: (_) @wrapped) @wrapper

(type_alias_statement left: (type (identifier) @name)) @definition.type
(type_alias_statement left: (type (generic_type . (identifier) @name))) @definition.type

((module (expression_statement (assignment left: (identifier) @name)) @definition.constant)
  (#match? @name "^_?[A-Z][A-Z0-9_]*$"))
(module (expression_statement (assignment left: (identifier) @name right: (lambda)))
  @definition.function)
(module (expression_statement (assignment left: (identifier) @name)) @definition.variable)

(class_definition
  body: (block (expression_statement (assignment left: (identifier) @name)) @definition.field))

(module . (expression_statement (string) @comment))
(comment) @comment
