(function_definition
  ; include: c/function
  body: (_) @body) @definition.function

(declaration
  ; include: c/function
  ) @definition.prototype

(struct_specifier name: (type_identifier) @name body: (_) @body) @definition.struct
(enum_specifier name: (type_identifier) @name body: (_) @body) @definition.enum

; include: c_family/symbols
