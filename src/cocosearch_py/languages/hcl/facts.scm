((block
  . (identifier) @_block
  (body (attribute . (identifier) @_key (expression (literal_value (string_lit) @module))))) @import
  (#any-of? @_block "module" "terraform" "include" "dependency")
  (#any-of? @_key "source" "path" "config_path"))
