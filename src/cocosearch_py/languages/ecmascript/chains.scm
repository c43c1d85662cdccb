; a.f = b.g = function () {}, also with var: all names are the function's, and the outermost assignment is its span.

; the first name
((assignment_expression
  left: (=member_expression object: (identifier) @owner property: (property_identifier) @name)
  right: (~assignment_expression right: [
    ; include: ecmascript/function
  ])) @definition.function
  (#not-match? @owner "^(exports|module|this|window|global|globalThis|self)$"))
(assignment_expression
  left: [
    ; include: ecmascript/target
  ]
  right: (~assignment_expression right: [
    ; include: ecmascript/function
  ])) @definition.function
(variable_declarator
  name: (identifier) @name
  value: (~assignment_expression right: [
    ; include: ecmascript/function
  ])) @definition.function

; the second
(assignment_expression right: (~assignment_expression
  left: [
    ; include: ecmascript/target
  ]
  right: [
    ; include: ecmascript/function
  ])) @definition.function
(variable_declarator value: (~assignment_expression
  left: [
    ; include: ecmascript/target
  ]
  right: [
    ; include: ecmascript/function
  ])) @definition.function
