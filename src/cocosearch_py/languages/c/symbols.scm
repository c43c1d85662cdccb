(function_definition
  ; include: c/function
  ) @definition.function @has_body

(declaration
  ; include: c/function
  ) @definition.prototype

(struct_specifier name: (type_identifier) @name) @definition.struct @has_body
(enum_specifier name: (type_identifier) @name) @definition.enum @has_body

; include: c_family/symbols
