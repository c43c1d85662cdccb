[
  (~user_type (identifier) @owner .)
  (~user_type (identifier) @owner . (type_arguments) .)
  (~nullable_type (~user_type (identifier) @owner .))
  (~nullable_type (~user_type (identifier) @owner . (type_arguments) .))
]
.
"."
.
