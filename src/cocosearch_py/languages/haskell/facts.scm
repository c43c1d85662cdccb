(apply function: [
  (variable) @call
  (constructor) @call
  (=qualified module: (_) @qualifier id: (variable) @call)
])
(infix_id (variable) @call)

(instance name: (name) @inherit)
(deriving classes: (name) @inherit)
(deriving classes: (~tuple (name) @inherit))
(class context: (~context context: (~apply constructor: (name) @inherit)))
(qualified module: (_) @qualifier id: (name) @type)
(name) @type
(expression/variable) @read

(import module: (module) @module !names alias: (module) @alias) @import
(import module: (module) @module !names !alias) @wildcard @import
(import module: (module) @module "hiding" @wildcard) @import
((import module: (module) @module names: (import_list name: (import_name [(variable) (name)] @imported))) @import
  (#not-match? @import "[ )]hiding[ (]"))

[(conditional) (alternative) (guards)] @branch
((operator) @branch (#any-of? @branch "&&" "||"))
[(conditional) (case)] @nest
(function patterns: (patterns (_) @parameter))
(signature type: (~function parameter: (_) @parameter))
(function result: (~function parameter: (_) @parameter))
