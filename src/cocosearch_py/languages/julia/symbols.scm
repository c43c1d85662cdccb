; Julia definitions. `Base.show(...)` belongs to Base.

[
  (line_comment)
  (block_comment)
] @comment

(module_definition
  name: (identifier) @name) @definition.module

(abstract_definition
  (type_head
    [
      (identifier) @name
      (_ . (identifier) @name)
      (_ . (_ . (identifier) @name))
    ])) @definition.type

(primitive_definition
  (type_head
    [
      (identifier) @name
      (_ . (identifier) @name)
    ])) @definition.type

(struct_definition
  (type_head
    [
      (identifier) @name
      (_ . (identifier) @name)
      (_ . (_ . (identifier) @name))
    ])) @definition.struct

(struct_definition
  [
    (identifier) @name
    (typed_expression . (identifier) @name)
  ] @definition.field)

; function name(args), with a returned type and where clauses
(function_definition
  (signature
    [
      (identifier) @name
      (call_expression . (identifier) @name)
      (_ . (call_expression . (identifier) @name))
      (_ . (_ . (call_expression . (identifier) @name)))
    ])) @definition.function

(function_definition
  (signature
    [
      (call_expression . (field_expression value: (_) @owner (identifier) @name .))
      (_ . (call_expression . (field_expression value: (_) @owner (identifier) @name .)))
      (_ . (_ . (call_expression . (field_expression value: (_) @owner (identifier) @name .))))
    ])) @definition.function

; name(args) = expression
(assignment
  . [
    (call_expression . (identifier) @name)
    (typed_expression . (call_expression . (identifier) @name))
    (where_expression . (call_expression . (identifier) @name))
  ]) @definition.function

(assignment
  . [
    (call_expression . (field_expression value: (_) @owner (identifier) @name .))
    (where_expression . (call_expression . (field_expression value: (_) @owner (identifier) @name .)))
  ]) @definition.function

(macro_definition
  (signature
    (call_expression . (identifier) @name))) @definition.macro

(const_statement
  (assignment . (identifier) @name)) @definition.constant

(source_file
  (assignment . (identifier) @name) @definition.variable)

(module_definition
  (assignment . (identifier) @name) @definition.variable)

((macrocall_expression
  (macro_identifier (identifier) @_macro)
  (macro_argument_list
    . (string_literal (content) @name))) @definition.test
  (#eq? @_macro "testset"))

; A string before a definition is its doc.
((string_literal) @docstring
  .
  (function_definition
    (signature
      [
        (call_expression . (identifier) @name)
        (_ . (call_expression . (identifier) @name))
        (_ . (_ . (call_expression . (identifier) @name)))
      ])) @definition.function)

((string_literal) @docstring
  .
  (struct_definition
    (type_head
      [
        (identifier) @name
        (_ . (identifier) @name)
        (_ . (_ . (identifier) @name))
      ])) @definition.struct)
