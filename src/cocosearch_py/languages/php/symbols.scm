; PHP definitions.

(comment) @comment

(namespace_definition
  name: (namespace_name) @name
  body: (compound_statement) @body) @definition.namespace

(namespace_definition
  name: (namespace_name) @file_scope
  !body)

(class_declaration
  name: (name) @name
  body: (declaration_list) @body) @definition.class

(interface_declaration
  name: (name) @name
  body: (declaration_list) @body) @definition.interface

(trait_declaration
  name: (name) @name
  body: (declaration_list) @body) @definition.trait

(enum_declaration
  name: (name) @name
  body: (enum_declaration_list) @body) @definition.enum

(enum_case
  name: (name) @name) @definition.constant

(function_definition
  name: (name) @name
  body: (compound_statement) @body) @definition.function

((method_declaration
  name: (name) @name
  body: (compound_statement)? @body) @definition.method
  (#not-eq? @name "__construct"))

((method_declaration
  name: (name) @name
  body: (compound_statement)? @body) @definition.constructor
  (#eq? @name "__construct"))

(property_declaration
  (property_element
    name: (variable_name (name) @name))) @definition.property

; A constructor parameter with a visibility declares a property of the class.
(property_promotion_parameter
  name: (variable_name (name) @name)) @definition.property @of_class

(const_declaration
  (const_element
    . (name) @name)) @definition.constant

; define('NAME', value)
((function_call_expression
  function: (name) @_function
  arguments: (=arguments
    . (=argument
      [
        (string (string_content) @name)
        (encapsed_string . (string_content) @name .)
      ]))) @definition.constant
  (#eq? @_function "define"))

; $name = function () {} and $name = fn () => ...
(expression_statement
  (~assignment_expression
    left: (~variable_name (name) @name)
    right: [(anonymous_function) (arrow_function)] @has_body)) @definition.function

((program
  (~expression_statement
    (~assignment_expression
      left: (~variable_name (name) @name)
      right: (_) @_value)) @definition.variable)
  (#not-match? @_value "^(static\\s+)?(function|fn)\\b"))
