; Files that Compose, GitHub Actions, GitLab CI, Helm and Kustomize name; which of them a value is, its path says.
((block_mapping_pair key: (flow_node) @_key value: (flow_node [
  (plain_scalar) @module
  (double_quote_scalar) @module
  (single_quote_scalar) @module
  (flow_sequence (flow_node) @module)
])) @import
  (#match? @_key "^(uses|include|local|extends|file|env_file|build|context|repository)$"))
((block_mapping_pair
  key: (flow_node) @_key
  value: (block_node (block_sequence (block_sequence_item (flow_node [
    (plain_scalar) (double_quote_scalar) (single_quote_scalar)
  ] @module))))) @import
  (#match? @_key "^(include|local|env_file|resources|bases|components|patchesStrategicMerge)$")
  (#match? @module "[./]"))
((block_mapping_pair
  key: (flow_node) @_key
  value: (block_node (block_sequence (block_sequence_item (block_node (block_mapping (block_mapping_pair
    key: (flow_node) @_inner
    value: (flow_node [(plain_scalar) (double_quote_scalar) (single_quote_scalar)] @module)))))))) @import
  (#match? @_key "^(include|env_file)$")
  (#eq? @_inner "path"))
((flow_pair key: (flow_node) @_key value: (flow_node) @module) @import
  (#match? @_key "^(build|context|env_file|file|local|uses)$"))
; from the build context, when one is named beside it
([
  (block_mapping_pair key: (flow_node) @_key value: (flow_node) @module)
  (flow_pair key: (flow_node) @_key value: (flow_node) @module)
] @import @from.context
  (#eq? @_key "dockerfile"))
