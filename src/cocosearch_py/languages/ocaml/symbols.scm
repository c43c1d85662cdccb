; OCaml definitions. `let f x` and `let f = fun x` are functions, other values of a module are constants.

(comment) @comment

(module_definition
  (module_binding
    (module_name) @name
    body: (_)? @body)) @definition.module

(module_type_definition
  (module_type_name) @name
  body: (_)? @body) @definition.interface

(class_binding
  (class_name) @name
  body: (_)? @body) @definition.class

(method_definition
  (method_name) @name
  body: (_)? @body) @definition.method

(instance_variable_definition
  (instance_variable_name) @name) @definition.field

; include: ocaml/declarations

; One binding: the definition begins at "let". Bindings joined by "and" are definitions of their own.
(value_definition
  . (let_binding
    pattern: [(value_name) (parenthesized_operator)] @name
    (parameter)
    body: (_) @body)
  .) @definition.function

(value_definition
  . (let_binding
    pattern: [(value_name) (parenthesized_operator)] @name
    body: [(fun_expression) (function_expression)] @body)
  .) @definition.function

(value_definition
  (let_binding
    pattern: [(value_name) (parenthesized_operator)] @name
    (parameter)
    body: (_) @body) @definition.function
  . (let_binding))

(value_definition
  (let_binding)
  . (let_binding
    pattern: [(value_name) (parenthesized_operator)] @name
    (parameter)
    body: (_) @body) @definition.function)

(compilation_unit
  (value_definition
    . (let_binding
      pattern: [(value_name) (parenthesized_operator)] @name)
    .) @definition.constant)

(structure
  (value_definition
    . (let_binding
      pattern: [(value_name) (parenthesized_operator)] @name)
    .) @definition.constant)
