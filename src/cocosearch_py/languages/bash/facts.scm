(command name: (command_name (word) @call))

; Names made at run time
(command name: (command_name [(simple_expansion) (expansion) (concatenation) (string)]) @computed)

((command name: (command_name (word) @_source) . argument: [(word) (string) (raw_string) (concatenation)] @module) @import
  (#any-of? @_source "source" "."))

[(if_statement) (elif_clause) (for_statement) (c_style_for_statement) (while_statement) (case_item)] @branch
["&&" "||"] @branch
[(if_statement) (for_statement) (c_style_for_statement) (while_statement) (case_statement)] @nest
