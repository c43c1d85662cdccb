(identifier) @name
(call target: (identifier) @name)
(binary_operator left: (identifier) @name operator: "when")
(binary_operator left: (call target: (identifier) @name) operator: "when")
