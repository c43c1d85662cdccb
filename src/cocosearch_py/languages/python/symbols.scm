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

; Assignments of a class or file, also chained, of several names, and under conditions. Locals of functions that
; some of these patterns find, too, are dropped by the program.
(class_definition body: (=block
  ; include: python/assigned
  @definition.field))
(class_definition body: (=block
  (if_statement [
    (=block (expression_statement (assignment left: (identifier) @name)) @definition.field)
    (_ (=block (expression_statement (assignment left: (identifier) @name)) @definition.field))
  ])))
(module (expression_statement (assignment left: (identifier) @name right: (lambda)))
  @definition.function)
((expression_statement [
    (assignment left: (identifier) @name)
    (assignment right: (assignment left: (identifier) @name))
  ]) @definition.constant
  (#match? @name "^_?[A-Z][A-Z0-9_]*$"))
(module
  ; include: python/assigned
  @definition.variable)
(module (_ (=block (expression_statement (assignment left: (identifier) @name)) @definition.variable)))
(module (_ (_ (=block (expression_statement (assignment left: (identifier) @name)) @definition.variable))))

(module . (expression_statement (string) @comment))
(comment) @comment
