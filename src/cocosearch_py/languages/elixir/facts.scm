((call target: (identifier) @call)
  (#not-match? @call "^(def[a-z]*|alias|import|require|use|if|unless|case|cond|with|for|try|quote|unquote|receive|spec|type|callback|behaviour|impl|doc)$"))
(call target: (=dot left: (_) @qualifier right: (identifier) @call))
(unary_operator operator: "&" operand: (~binary_operator left: (identifier) @call operator: "/"))

; Behaviours and what `use` brings in.
((call target: (identifier) @_use . (=arguments . (alias) @inherit)) (#eq? @_use "use"))
((unary_operator operator: "@" operand: (~call target: (identifier) @_behaviour (arguments . (alias) @inherit)))
  (#eq? @_behaviour "behaviour"))
(alias) @type

((call target: (identifier) @_import . (=arguments . (alias) @module)) @import
  (#any-of? @_import "alias" "import" "use" "require"))
((call target: (identifier) @_alias . (=arguments . (alias) @module (=keywords (=pair value: (alias) @alias)))) @import
  (#eq? @_alias "alias"))
; alias A.{B, C}
(dot left: (alias) @module right: (tuple (alias) @imported)) @import

((call target: (identifier) @branch) (#any-of? @branch "if" "unless" "for" "while"))
[(stab_clause) (rescue_block) (catch_block)] @branch
["&&" "||" "and" "or"] @branch
((call target: (identifier) @_block) @nest (#any-of? @_block "if" "unless" "case" "cond" "with" "for" "try" "receive"))

((call target: (identifier) @_def . (=arguments . [
  (=call . target: (identifier) . (=arguments (_) @parameter))
  (=binary_operator left: (=call . target: (identifier) . (=arguments (_) @parameter)) operator: "when")
])) (#match? @_def "^def(p|macro|macrop|guard|guardp)?$"))
