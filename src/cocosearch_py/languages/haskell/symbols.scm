; Haskell definitions. A function is several nodes: its signature and each of its equations. All are captured;
; neighbours with one name and kind are one definition.

[
  (comment)
  (haddock)
] @comment

(data_type
  name: (_) @name) @definition.type

(newtype
  name: (_) @name) @definition.type

(type_synonym
  name: (_) @name) @definition.type

(type_family
  name: (_) @name) @definition.type

(data_family
  name: (_) @name) @definition.type

(class
  name: (_) @name
  declarations: (_)? @body) @definition.class

; An instance belongs to the type that it is for.
(instance
  name: (_) @name
  patterns: (type_patterns
    . [
      (name) @owner
      (parens type: (apply constructor: (name) @owner))
      (_)
    ])?
  declarations: (_)? @body) @definition.impl

(deriving_instance
  name: (_) @name
  patterns: (type_patterns
    . [
      (name) @owner
      (parens type: (apply constructor: (name) @owner))
      (_)
    ])?) @definition.impl

; Constructors are constants: `constructor` is a function of a class.
(data_constructor
  constructor: [
    (~prefix name: (constructor) @name)
    (~prefix name: (~prefix_id (constructor_operator) @name))
    (~record name: (constructor) @name)
    (~infix operator: (_) @name)
  ]) @definition.constant

(newtype_constructor
  name: (constructor) @name) @definition.constant

(gadt_constructor
  [
    name: (constructor) @name
    names: (binding_list name: (constructor) @name)
  ]) @definition.constant

(field
  name: (field_name (variable) @name)) @definition.field

(pattern_synonym
  [
    (~signature synonym: (constructor) @name)
    (~equation synonym: (constructor) @name)
    (~equation synonym: (~apply function: (constructor) @name))
    (~equation synonym: (~apply function: (~apply function: (constructor) @name)))
    (~equation synonym: (~record (constructor) @name))
  ]) @definition.constant

(foreign_import
  signature: (signature
    name: (variable) @name)) @definition.function

; Signatures, not those of local helpers.
(declarations
  (~signature
    [
      ; include: haskell/names
    ]) @definition.function)

(class_declarations
  (~signature
    [
      ; include: haskell/names
    ]) @definition.method)

; A signature may take several lines: it ends where the next declaration begins.
(declarations
  (signature
    [
      name: (variable) @name
      name: (prefix_id (operator) @name)
    ]) @definition.function
  . (_) @body)

(class_declarations
  (~signature
    [
      name: (variable) @name
      name: (~prefix_id (operator) @name)
    ]) @definition.method
  . (_) @body)

; Equations, also of local helpers.
(function
  name: [
    (variable) @name
    (prefix_id (operator) @name)
  ]
  patterns: (_)
  . match: (_) @body) @definition.function

(function
  (~infix
    operator: [
      (operator) @name
      (~infix_id (variable) @name)
    ])
  . match: (_) @body) @definition.function

; Definitions without parameters: functions in point-free style, values, actions.
(declarations
  (~bind
    [
      name: (variable) @name
      name: (~prefix_id (operator) @name)
    ]
    . match: (_) @body) @definition.function)

(instance_declarations
  (~bind
    [
      name: (variable) @name
      name: (~prefix_id (operator) @name)
    ]
    . match: (_) @body) @definition.method)

(class_declarations
  (~bind
    [
      name: (variable) @name
      name: (~prefix_id (operator) @name)
    ]
    . match: (_) @body) @definition.method)
