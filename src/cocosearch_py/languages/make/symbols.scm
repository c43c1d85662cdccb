; Makefiles: targets are functions, except special ones (.PHONY) and patterns (%.o).

(comment) @comment

((rule
  (targets (word) @name)) @definition.function
  (#not-match? @name "^[.]|%"))

(makefile
  (variable_assignment name: (word) @name) @definition.variable)

(export_directive
  (variable_assignment name: (word) @name)) @definition.variable

(define_directive
  name: (word) @name) @definition.macro
