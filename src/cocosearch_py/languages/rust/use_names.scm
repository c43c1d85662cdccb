(self)
(identifier) @imported
(=use_as_clause path: (identifier) @imported alias: (identifier) @alias)
