; What stands in a paragraph, a heading or a cell is not parsed.
([(inline) (pipe_table_cell)] @links (#match? @links "[]][(]"))
((link_reference_definition (link_destination) @module) @import (#not-match? @module "^#|:"))
