; A method called by its name alone looks like a variable and is left out.
(call receiver: (_)? @qualifier method: [(identifier) (constant)] @call)

(superclass (constant) @inherit)
(superclass (=scope_resolution scope: (_) @qualifier name: (constant) @inherit))
((call
  method: (identifier) @_mixin
  arguments: (=argument_list [(constant) @inherit (=scope_resolution name: (constant) @inherit)]))
  (#any-of? @_mixin "include" "extend" "prepend"))
(scope_resolution scope: (_) @qualifier name: (constant) @type)
(constant) @type

((call method: [(identifier) @_require (identifier) @relative] arguments: (=argument_list (string) @module)) @import
  (#any-of? @_require "require" "require_dependency" "autoload")
  (#any-of? @relative "require_relative" "load"))

[(if) (elsif) (unless) (if_modifier) (unless_modifier) (while) (until) (while_modifier) (until_modifier) (for) (when)
 (in_clause) (rescue) (rescue_modifier) (conditional)] @branch
["&&" "||" "and" "or"] @branch
[(if) (unless) (while) (until) (for) (case) (case_match) (begin) (do_block) (block)] @nest

(method_parameters (_) @parameter)
