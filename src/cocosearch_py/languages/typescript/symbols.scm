; include: ecmascript/chains
; include: ecmascript/symbols

[(class_declaration) (abstract_class_declaration)] @definition.class @named @has_body
(class_body (=public_field_definition
  name: (_) @name
  value: [(arrow_function) (function_expression)] @has_body) @definition.method)
(public_field_definition name: [(property_identifier) (private_property_identifier)] @name)
  @definition.field

; A constructor's parameter with a modifier is a field of the class.
(required_parameter [(accessibility_modifier) "readonly"] . (identifier) @name) @definition.field @of_class
(optional_parameter [(accessibility_modifier) "readonly"] . (identifier) @name) @definition.field @of_class

(interface_declaration) @definition.interface @named @has_body
(type_alias_declaration) @definition.type @named
(enum_declaration) @definition.enum @named @has_body
(enum_body name: (_) @name @definition.constant)
(enum_assignment name: (_) @name) @definition.constant
(module name: (string (string_fragment) @name) body: (_)? @body) @definition.module
(module name: [(identifier) (nested_identifier)] @name body: (_)? @body) @definition.namespace
(internal_module name: (_) @name body: (_)? @body) @definition.namespace
(expression_statement (internal_module) @wrapped) @wrapper
(ambient_declaration [(module) (function_signature) (class_declaration) (abstract_class_declaration)
  (lexical_declaration) (variable_declaration) (interface_declaration) (enum_declaration)
  (type_alias_declaration)] @wrapped) @wrapper
(ambient_declaration (_ (variable_declarator name: (identifier) @name))) @definition.variable
(function_signature name: (_) @name) @definition.function
(method_signature name: (property_identifier) @name) @definition.method
(abstract_method_signature name: (property_identifier) @name) @definition.method
(interface_body (property_signature name: (property_identifier) @name) @definition.property)
