; Solidity definitions.

(comment) @comment

(contract_declaration
  name: (identifier) @name
  body: (_) @body) @definition.class

(interface_declaration
  name: (identifier) @name
  body: (_) @body) @definition.interface

(library_declaration
  name: (identifier) @name
  body: (_) @body) @definition.object

(struct_declaration
  name: (identifier) @name
  body: (_) @body) @definition.struct

(struct_member
  name: (identifier) @name) @definition.field

(enum_declaration
  name: (identifier) @name
  body: (_) @body) @definition.enum

(enum_value) @name @definition.constant

(event_definition
  name: (identifier) @name) @definition.type

(error_declaration
  name: (identifier) @name) @definition.type

(user_defined_type_definition
  name: (identifier) @name) @definition.type

(modifier_definition
  name: (identifier) @name
  body: (_)? @body) @definition.function

(constructor_definition
  "constructor" @name
  body: (_) @body) @definition.constructor

(fallback_receive_definition
  ["fallback" "receive"] @name
  body: (_)? @body) @definition.method

(function_definition
  name: (identifier) @name
  body: (_)? @body) @definition.function

(state_variable_declaration
  name: (identifier) @name) @definition.field

(constant_variable_declaration
  name: (identifier) @name) @definition.constant
