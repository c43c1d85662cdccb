; Zig definitions. A type is a constant that holds it. `const x = @import(...)` and `const x = a.b.x;` are imports.

(comment) @comment

(variable_declaration
  "const" . (identifier) @name
  (struct_declaration) .) @definition.struct

(variable_declaration
  "const" . (identifier) @name
  (union_declaration) .) @definition.struct

(variable_declaration
  "const" . (identifier) @name
  (enum_declaration) .) @definition.enum

(variable_declaration
  "const" . (identifier) @name
  (error_set_declaration) .) @definition.enum

(variable_declaration
  "const" . (identifier) @name
  (opaque_declaration) .) @definition.type

((function_declaration
  name: (identifier) @name
  type: (_) @_returned) @definition.function @may_have_body
  (#not-eq? @_returned "type"))

; A function that returns a type is how Zig writes a generic type.
((function_declaration
  name: (identifier) @name
  type: (builtin_type) @_returned) @definition.struct @may_have_body
  (#eq? @_returned "type"))

(test_declaration
  [
    (string (string_content) @name)
    (identifier) @name
  ]
  (block) @body) @definition.test

; A file is a struct. The parser puts empty names where it recovers; `_` is room that nobody uses.
((source_file
  (container_field name: (identifier) @name) @definition.field)
  (#match? @name "."))

((struct_declaration
  (container_field name: (identifier) @name) @definition.field)
  (#match? @name "^[^_]|^_."))

((union_declaration
  (container_field name: (identifier) @name) @definition.field)
  (#match? @name "."))

; `_` says that an enum has more values than those named.
((enum_declaration
  (container_field name: (identifier) @name) @definition.constant)
  (#match? @name "^[^_]|^_."))

; A value may have the name of a type: f16, bool, type.
(enum_declaration
  (container_field . (builtin_type) @name .) @definition.constant)

([
  (source_file
    (variable_declaration "const" . (identifier) @name) @definition.constant)
  (struct_declaration
    (variable_declaration "const" . (identifier) @name) @definition.constant)
  (union_declaration
    (variable_declaration "const" . (identifier) @name) @definition.constant)
  (enum_declaration
    (variable_declaration "const" . (identifier) @name) @definition.constant)
  (opaque_declaration
    (variable_declaration "const" . (identifier) @name) @definition.constant)
  ]
  (#not-match? @definition.constant "^[^=]*=\\s*(@import|@This|@cImport|((extern|packed)\\s+)?(struct|union|enum|opaque)\\b|error\\s*\\{[^}]*\\}\\s*;)")
  (#not-match? @definition.constant "^const\\s+(\\w+)\\s*=\\s*(@import\\([^)]*\\)|[\\w.]+)\\.\\1;"))

(source_file
  (variable_declaration "var" . (identifier) @name) @definition.variable)

(struct_declaration
  (variable_declaration "var" . (identifier) @name) @definition.variable)
