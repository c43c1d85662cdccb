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

((call method: (identifier) @_call arguments: (~argument_list (simple_symbol) @name))
  @definition.property
  (#any-of? @_call "attr_accessor" "attr_reader" "attr_writer" "mattr_accessor" "mattr_reader"
    "mattr_writer" "cattr_accessor" "cattr_reader" "class_attribute" "thread_mattr_accessor"
    "thread_cattr_accessor" "attr_internal"))
((call method: (identifier) @_call arguments: (~argument_list . (simple_symbol) @name))
  @definition.method
  (#any-of? @_call "define_method" "alias_method" "scope" "define_singleton_method"))
(alias name: (_) @name) @definition.method

(assignment left: [(constant) (scope_resolution)] @name) @definition.constant
(assignment left: (~left_assignment_list (constant) @name)) @definition.constant

((call
  method: (identifier) @_test
  arguments: (~argument_list . (string (string_content) @name))
  block: (_) @body) @definition.test
  (#any-of? @_test "test" "it" "describe" "context" "specify" "feature" "scenario"))

((body_statement (identifier) @section) (#any-of? @section "private" "protected" "public"))

(comment) @comment
