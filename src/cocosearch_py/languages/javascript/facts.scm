; include: ecmascript/facts

(class_heritage [
  (identifier) @inherit
  (=member_expression object: (_) @qualifier property: (property_identifier) @inherit)])
[(jsx_opening_element name: (identifier) @call) (jsx_self_closing_element name: (identifier) @call)]
[(jsx_opening_element
  name: (=member_expression object: (_) @qualifier property: (property_identifier) @call))
 (jsx_self_closing_element
  name: (=member_expression object: (_) @qualifier property: (property_identifier) @call))]

(formal_parameters (_) @parameter)
(arrow_function parameter: (identifier) @parameter)

; This grammar has a token of its own for `default`: import { default as a } from "m"; export { a as default }
(import_statement
  (import_clause (named_imports (import_specifier name: "default" @imported alias: (identifier) @alias)))
  source: (string) @module) @import
(export_statement
  (export_clause (export_specifier name: "default" @imported alias: (_)? @alias)) source: (string) @module) @import
(export_statement !source (export_clause (export_specifier name: (identifier) @exported alias: "default" @as)))
