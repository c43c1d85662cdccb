; What JavaScript and TypeScript write alike.

; Also names made at run time: a[x](), a[x].call(b)
((call_expression function: [
  (identifier) @call
  (=member_expression object: (_) @qualifier property: [(property_identifier) (private_property_identifier)] @call)
  (=subscript_expression object: (_) @qualifier index: (_) @computed)
  (=member_expression
    object: (=subscript_expression object: (_) @qualifier index: (_) @computed)
    property: (property_identifier) @_through)
])
  (#any-of? @_through "call" "apply" "bind"))
; `await f<T>(x)`: the grammar takes `await f` for what is called
(call_expression function: (await_expression [
  (identifier) @call
  (=member_expression object: (_) @qualifier property: [(property_identifier) (private_property_identifier)] @call)]))
(new_expression constructor: [
  (identifier) @call
  (=subscript_expression object: (_) @qualifier index: (_) @computed)
  (=member_expression object: (_) @qualifier property: (property_identifier) @call)])
(decorator [
  (identifier) @call
  (=member_expression object: (_) @qualifier property: (property_identifier) @call)])

; this[x]
(subscript_expression object: [(this) (super)] @qualifier index: (_) @computed)

; Types of locals and attributes
(variable_declarator name: (identifier) @local value: (=new_expression constructor: (_) @of))
(assignment_expression
  left: (~member_expression object: (this)) @local right: (=new_expression constructor: (_) @of))

(primary_expression/identifier) @read
(object (shorthand_property_identifier) @read)
(export_specifier name: (identifier) @read)

; import a, { b as c } from "m"; import * as d from "m"; import "m"
(import_statement (import_clause (identifier) @default) source: (string) @module) @import
(import_statement
  (import_clause (named_imports (import_specifier name: (_) @imported alias: (identifier)? @alias)))
  source: (string) @module) @import
(import_statement
  (import_clause (namespace_import (identifier) @alias)) source: (string) @module) @import
(import_statement . source: (string) @module) @import
; export { a as b } from "m"; export * from "m"
(export_statement
  (export_clause (export_specifier name: (_) @imported alias: (_)? @alias)) source: (string) @module) @import
(export_statement "*" @wildcard source: (string) @module) @import
(export_statement (namespace_export (identifier) @alias) source: (string) @module) @import
; const { a, b: c } = require("m"); const d = require("m"); import("m")
((variable_declarator
  name: (identifier) @alias
  value: (=call_expression function: (identifier) @_require arguments: (=arguments . (string) @module .))) @import
  (#eq? @_require "require"))
((variable_declarator
  name: (object_pattern [
    (shorthand_property_identifier_pattern) @imported
    (=pair_pattern key: (property_identifier) @imported value: (identifier) @alias)])
  value: (=call_expression function: (identifier) @_require arguments: (=arguments . (string) @module .))) @import
  (#eq? @_require "require"))
((call_expression
  function: (identifier) @_require arguments: (=arguments . (string) @module .)) @import
  (#eq? @_require "require"))
(call_expression function: (import) arguments: (=arguments . (string) @module)) @import
; const a = await import("m"); const { a, b: c } = await import("m")
(variable_declarator
  name: (identifier) @alias
  value: (await_expression
    (call_expression function: (import) arguments: (=arguments . (string) @module)))) @import
(variable_declarator
  name: (object_pattern [
    (shorthand_property_identifier_pattern) @imported
    (=pair_pattern key: (property_identifier) @imported value: (identifier) @alias)])
  value: (await_expression
    (call_expression function: (import) arguments: (=arguments . (string) @module)))) @import

; Names under which others import definitions: export default a; export { a as b }; module.exports = a
(export_statement "default" value: (identifier) @exported)
(export_statement "default" declaration: (_ name: (_) @exported))
(export_statement !source (export_clause (export_specifier name: (identifier) @exported alias: (identifier) @as)))
((assignment_expression
  left: (=member_expression object: (identifier) @_module property: (property_identifier) @_exports)
  right: (identifier) @exported.whole)
  (#eq? @_module "module") (#eq? @_exports "exports"))

[(if_statement) (for_statement) (for_in_statement) (while_statement) (do_statement) (switch_case) (catch_clause)
 (ternary_expression)] @branch
["&&" "||" "??"] @branch
(if_statement consequence: (_) @nest)
(else_clause (statement_block) @nest)
[(for_statement) (for_in_statement) (while_statement) (do_statement) (switch_statement) (try_statement)] @nest
