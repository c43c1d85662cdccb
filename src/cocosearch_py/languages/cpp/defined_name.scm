; include: cpp/declared_name
(~qualified_identifier scope: [
    (namespace_identifier) @owner (~template_type name: (_) @owner)]
  name: [(identifier) (operator_name) (destructor_name)] @name)
(~qualified_identifier scope: [
    (namespace_identifier) @owner (~template_type name: (_) @owner)]
  name: (~template_function name: (identifier) @name))
(~qualified_identifier scope: [
    (namespace_identifier) @owner (~template_type name: (_) @owner)]
  name: (operator_cast) @name)
(~qualified_identifier scope: [
    (namespace_identifier) @owner (~template_type name: (_) @owner)]
  name: (~qualified_identifier scope: [
      (namespace_identifier) @owner (~template_type name: (_) @owner)]
    name: [(identifier) (operator_name) (destructor_name)] @name))
