(use_declaration argument: [
  (identifier) @module
  ; include: rust/use_paths
  (=scoped_use_list path: (_) @module "::" @module list: (=use_list [
    ; include: rust/use_paths
    (=scoped_use_list path: (_) @module "::" @module list: (=use_list [
      ; include: rust/use_paths
    ]))
  ]))
]) @import
