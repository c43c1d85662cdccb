; What JavaScript and TypeScript write alike.

; `const a = require("a")` is an import: the program drops this kind, which stands before the others.
((variable_declarator
  name: (identifier) @name
  value: [
    (~call_expression function: (identifier) @_require)
    (~member_expression object: (~call_expression function: (identifier) @_require))
    (~call_expression function: (~call_expression function: (identifier) @_require))
  ]) @definition.import
  (#eq? @_require "require"))

(function_declaration name: (identifier) @name body: (_) @body) @definition.function
(generator_function_declaration name: (identifier) @name body: (_) @body) @definition.function

((method_definition name: (property_identifier) @name) @definition.constructor @has_body
  (#eq? @name "constructor"))
(method_definition name: [(property_identifier) (private_property_identifier)] @name) @definition.method @has_body
(method_definition name: (~string (string_fragment) @name)) @definition.method @has_body

; Functions and classes given to names
(variable_declarator
  name: (identifier) @name
  value: [(arrow_function) (function_expression) (generator_function)] @has_body) @definition.function
(variable_declarator name: (identifier) @name value: (class) @has_body) @definition.class
(lexical_declaration . (variable_declarator
  value: [(arrow_function) (function_expression) (generator_function) (class) (assignment_expression)])
  @wrapped .) @wrapper
(variable_declaration . (variable_declarator
  value: [(arrow_function) (function_expression) (generator_function) (class) (assignment_expression)])
  @wrapped .) @wrapper

; exports.f = ..., module.exports.f = ..., Type.prototype.f = ..., object.f = ...
((assignment_expression
  left: (=member_expression
    object: (identifier) @owner property: (property_identifier) @name)
  right: [(arrow_function) (function_expression)] @has_body) @definition.function
  (#not-match? @owner "^(exports|module|this|window|global|globalThis|self)$"))
(assignment_expression
  left: (=member_expression
    object: (=member_expression
      object: (identifier) @owner property: (property_identifier) @_prototype)
    property: (property_identifier) @name)
  right: [(arrow_function) (function_expression)] @has_body
  (#eq? @_prototype "prototype")) @definition.method
(assignment_expression
  left: [
    (identifier) @name
    (=member_expression property: (property_identifier) @name)]
  right: [(arrow_function) (function_expression) (generator_function)] @has_body) @definition.function
(assignment_expression
  left: [
    (identifier) @name
    (=member_expression property: (property_identifier) @name)]
  right: (class) @has_body) @definition.class
; exports.Router = require("router"), module.exports.Router = Router
((assignment_expression
  left: (=member_expression
    object: [(identifier) @_exports (=member_expression property: (property_identifier) @_exports)]
    property: (property_identifier) @name)
  right: [(identifier) (member_expression) (call_expression)]) @definition.export
  (#eq? @_exports "exports"))
(expression_statement (assignment_expression
  right: [(arrow_function) (function_expression) (generator_function) (class) (assignment_expression)])
  @wrapped) @wrapper

; Functions in an object that has a name or is exported
(variable_declarator value: (object (=pair
  key: (property_identifier) @name
  value: [(arrow_function) (function_expression)] @has_body)
  @definition.function))
(assignment_expression right: (object (=pair
  key: (property_identifier) @name
  value: [(arrow_function) (function_expression)] @has_body)
  @definition.function))
(export_statement value: (object (=pair
  key: (property_identifier) @name
  value: [(arrow_function) (function_expression)] @has_body)
  @definition.function))

(program (lexical_declaration kind: "const" (variable_declarator name: (identifier) @name))
  @definition.constant)
(program (lexical_declaration (variable_declarator name: (identifier) @name)) @definition.variable)
(program (variable_declaration (variable_declarator name: (identifier) @name)) @definition.variable)
(export_statement
  declaration: (lexical_declaration kind: "const" (variable_declarator name: (identifier) @name))
  @definition.constant)
(export_statement
  declaration: (_ (variable_declarator name: (identifier) @name)) @definition.variable)

(export_statement declaration: (_) @wrapped) @wrapper

((call_expression
  function: [(identifier) @_test (=member_expression object: (identifier) @_test)]
  arguments: (=arguments
    . (_ (string_fragment) @name)
    [(arrow_function) (function_expression)] @has_body)) @definition.test
  (#any-of? @_test "describe" "it" "test" "suite" "context" "specify"))

(decorator) @attribute
(comment) @comment
