(=scoped_identifier path: (_) @module name: (identifier) @imported)
(use_wildcard . (_) @module "*" @wildcard)
(=use_as_clause
  path: (=scoped_identifier path: (_) @module name: (identifier) @imported)
  alias: (identifier) @alias)
(=scoped_use_list path: (_) @module list: (=use_list [
  ; include: rust/use_names
]))
