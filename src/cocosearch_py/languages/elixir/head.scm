(identifier) @name
(~call target: (identifier) @name (arguments)? @parameters)
(~binary_operator left: (identifier) @name operator: "when")
(~binary_operator left: (~call target: (identifier) @name (arguments)? @parameters) operator: "when")
