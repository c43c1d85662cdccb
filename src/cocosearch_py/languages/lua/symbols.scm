; Lua definitions. `function M.f` and `function M:f` belong to M; a function in a table belongs to the variable
; that holds the table. `local x = require ...` is an import.

(comment) @comment

(function_declaration
  name: (identifier) @name
  body: (block)? @body) @definition.function

(function_declaration
  name: (dot_index_expression
    table: (_) @owner
    field: (identifier) @name)
  body: (block)? @body) @definition.function

(function_declaration
  name: (method_index_expression
    table: (_) @owner
    method: (identifier) @name)
  body: (block)? @body) @definition.method

; local name = function() end
(variable_declaration
  (assignment_statement
    (variable_list . name: (identifier) @name)
    (expression_list . value: (function_definition body: (block)? @body)))) @definition.function

; name = function() end
(chunk
  (assignment_statement
    (variable_list . name: (identifier) @name)
    (expression_list . value: (function_definition body: (block)? @body))) @definition.function)

(block
  (assignment_statement
    (variable_list . name: (identifier) @name)
    (expression_list . value: (function_definition body: (block)? @body))) @definition.function)

; M.name = function() end
(assignment_statement
  (variable_list
    . name: (dot_index_expression
      table: (_) @owner
      field: (identifier) @name))
  (expression_list . value: (function_definition body: (block)? @body))) @definition.function

; M["name"] = function() end
(assignment_statement
  (variable_list
    . name: (bracket_index_expression
      table: (_) @owner
      field: (string content: (_) @name)))
  (expression_list . value: (function_definition body: (block)? @body))) @definition.function

; { name = function() end }
(field
  name: [
    (identifier) @name
    (string content: (_) @name)
  ]
  value: (function_definition body: (block)? @body)) @definition.function

; Variables of the file; names in capitals are constants.
((chunk
  (variable_declaration
    (assignment_statement
      (variable_list . name: (identifier) @name)
      (expression_list . value: (_) @_value))) @definition.variable)
  (#not-match? @_value "^(require|function)\\b")
  (#not-match? @name "^[A-Z][A-Z0-9_]*[A-Z0-9]$")
  (#not-eq? @_value @name))

((chunk
  (variable_declaration
    (assignment_statement
      (variable_list . name: (identifier) @name)
      (expression_list . value: (_) @_value))) @definition.constant)
  (#not-match? @_value "^(require|function)\\b")
  (#match? @name "^[A-Z][A-Z0-9_]*[A-Z0-9]$"))

; the further names of `local a, b = f()`
((chunk
  (variable_declaration
    (assignment_statement
      (variable_list "," . name: (identifier) @name)
      (expression_list . value: (_) @_value))) @definition.variable)
  (#not-match? @_value "^require\\b"))

(chunk
  (variable_declaration
    . (variable_list
      name: (identifier) @name)) @definition.variable)

((chunk
  (assignment_statement
    (variable_list . name: (identifier) @name)
    (expression_list . value: (_) @_value)) @definition.variable)
  (#not-match? @_value "^(require|function)\\b"))

((chunk
  (assignment_statement
    (variable_list
      . name: (dot_index_expression
        table: (_) @owner
        field: (identifier) @name))
    (expression_list . value: (_) @_value)) @definition.field)
  (#not-match? @_value "^(require|function)\\b")
  (#not-match? @name "^__"))
