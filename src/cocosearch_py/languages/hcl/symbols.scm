; HCL and Terraform: a block goes by its last label; a resource is `type.name`, as expressions write it.

(comment) @comment

(config_file
  (body
    (block
      . (identifier)
      . (string_lit (template_literal) @owner)
      . (string_lit (template_literal) @name)
      . (block_start) @body) @definition.object))

((config_file
  (body
    (block
      . (identifier) @_keyword
      . (string_lit (template_literal) @name)
      . (block_start) @body) @definition.module))
  (#eq? @_keyword "module"))

((config_file
  (body
    (block
      . (identifier) @_keyword
      . (string_lit (template_literal) @name)
      . (block_start) @body) @definition.variable))
  (#any-of? @_keyword "variable" "output"))

((config_file
  (body
    (block
      . (identifier) @_keyword
      . (string_lit (template_literal) @name)
      . (block_start) @body) @definition.object))
  (#not-match? @_keyword "^(module|variable|output)$"))

((config_file
  (body
    (block
      . (identifier) @_keyword
      (body
        (attribute (identifier) @name) @definition.constant))))
  (#eq? @_keyword "locals"))
