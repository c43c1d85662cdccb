; A call is a name with a selector for its arguments behind it.
((identifier) @call . (selector (argument_part)))
((selector (unconditional_assignable_selector (identifier) @call)) . (selector (argument_part)))
((selector (conditional_assignable_selector (identifier) @call)) . (selector (argument_part)))
(new_expression . (type_identifier) @call)
(const_object_expression . (type_identifier) @call)
(annotation name: (identifier) @call)

(superclass . (type_identifier) @inherit)
(mixins (type_identifier) @inherit)
(interfaces (type_identifier) @inherit)
(type_identifier) @type

(library_import (import_specification (configurable_uri (uri (string_literal) @module)))) @import
(library_import (import_specification
  (configurable_uri (uri (string_literal) @module)) (combinator "show" (identifier) @imported))) @import
(library_import (import_specification (configurable_uri (uri (string_literal) @module)) "as" (identifier) @alias)) @import
(library_export (configurable_uri (uri (string_literal) @module))) @import
(part_directive (uri (string_literal) @module)) @import

[(if_statement) (for_statement) (while_statement) (do_statement) (switch_statement_case) (catch_clause)
 (conditional_expression) (logical_and_operator) (logical_or_operator)] @branch
[(if_statement) (for_statement) (while_statement) (do_statement) (switch_statement) (try_statement)] @nest
(formal_parameter) @parameter
