(expression_statement [
  (assignment left: [(identifier) @name (pattern_list (identifier) @name)])
  (assignment right: (assignment left: (identifier) @name))
  (assignment right: (assignment right: (assignment left: (identifier) @name)))
])
