(module name: (_) @name) @definition.module
(class name: (_) @name) @definition.class
(assignment
  left: (constant) @name
  right: (~call receiver: (constant) @_class method: (identifier) @_new block: (_) @body)
  (#any-of? @_class "Struct" "Class" "Data" "Module")
  (#any-of? @_new "new" "define")) @definition.class

(program (method name: (_) @name) @definition.function)
(method name: (_) @name) @definition.method
(singleton_method name: (_) @name) @definition.method
(call arguments: (~argument_list . [(method) (singleton_method)] @wrapped .)) @wrapper

; Definitions that are calls, in one pattern: each with `call` around it takes 7 ms to compile.
((call [
  ((identifier) @_attributes @called . (=argument_list (simple_symbol) @name) @definition.property @of_parent)
  ((identifier) @_method @called . (=argument_list . (simple_symbol) @name) @definition.method @of_parent)
  ((identifier) @_test @called . (=argument_list . (string (string_content) @name)) @definition.test @of_parent block: (_) @body)
])
  (#any-of? @_attributes "attr_accessor" "attr_reader" "attr_writer" "mattr_accessor" "mattr_reader"
    "mattr_writer" "cattr_accessor" "cattr_reader" "class_attribute" "thread_mattr_accessor"
    "thread_cattr_accessor" "attr_internal")
  (#any-of? @_method "define_method" "alias_method" "scope" "define_singleton_method")
  (#any-of? @_test "test" "it" "describe" "context" "specify" "feature" "scenario"))
(alias name: (_) @name) @definition.method

(assignment left: [(constant) (scope_resolution)] @name) @definition.constant
(assignment left: (~left_assignment_list (constant) @name)) @definition.constant

((body_statement (identifier) @section) (#any-of? @section "private" "protected" "public"))

(comment) @comment
