; Shell definitions: functions in both forms, variables and constants of the script itself.

(comment) @comment

(function_definition
  name: (word) @name
  body: (_) @body) @definition.function

(program
  (variable_assignment
    name: (variable_name) @name) @definition.variable)

; readonly, or declare and typeset with -r
((program
  (declaration_command
    (variable_assignment
      name: (variable_name) @name)) @definition.constant)
  (#match? @definition.constant "^(readonly|(declare|typeset)\\s+-[a-zA-Z]*r)"))

((program
  (declaration_command
    (variable_assignment
      name: (variable_name) @name)) @definition.variable)
  (#not-match? @definition.variable "^(readonly|(declare|typeset)\\s+-[a-zA-Z]*r)"))
