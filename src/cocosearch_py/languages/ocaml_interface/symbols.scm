; OCaml interfaces: what a module shows.

(comment) @comment

(module_definition
  (module_binding (module_name) @name)) @definition.module

(module_type_definition
  (module_type_name) @name
  body: (_)? @body) @definition.interface

(class_binding
  (class_name) @name) @definition.class

; include: ocaml/declarations
