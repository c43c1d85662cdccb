; Elixir definitions. Everything is a call, told apart by its name. Several clauses of one function are several
; nodes, one definition each.

(comment) @comment

((unary_operator
  operand: (~call
    target: (identifier) @_attribute
    (arguments . [(string) (sigil)] @comment)))
  (#any-of? @_attribute "doc" "moduledoc" "typedoc" "shortdoc"))

((call
  target: (identifier) @_keyword
  . (=arguments . (_) @name)
  (do_block) @body) @definition.module
  (#eq? @_keyword "defmodule"))

; defmodule Name, do: nil
((call
  target: (identifier) @_keyword
  . (=arguments . (alias) @name . (keywords))) @definition.module
  (#eq? @_keyword "defmodule"))

((call
  target: (identifier) @_keyword
  . (=arguments . (_) @name)
  (do_block) @body) @definition.protocol
  (#eq? @_keyword "defprotocol"))

((call
  target: (identifier) @_keyword
  . (=arguments . (_) @name)
  (do_block) @body) @definition.impl
  (#eq? @_keyword "defimpl"))

; for: Type is what the protocol is implemented for.
((call
  target: (identifier) @_keyword
  . (=arguments
    . (_) @name
    (=keywords
      . (=pair
        key: (keyword) @_for
        value: (alias) @owner)))) @definition.impl
  (#eq? @_keyword "defimpl")
  (#match? @_for "^for:"))

; A struct has no name of its own: Module.defstruct.
((do_block
  (~call
    target: (identifier) @name
    (arguments)) @definition.struct)
  (#any-of? @name "defstruct" "defexception"))

; name(args), name, name(args) when guard
((call
  target: (identifier) @_keyword
  . (=arguments
    . [
      ; include: elixir/head
    ])
  (do_block)? @body) @definition.function
  (#any-of? @_keyword "def" "defp" "defdelegate" "defn" "defnp"))

((call
  target: (identifier) @_keyword
  . (=arguments
    . [
      ; include: elixir/head
    ])
  (do_block)? @body) @definition.macro
  (#any-of? @_keyword "defmacro" "defmacrop" "defguard" "defguardp"))

; def left + right
((call
  target: (identifier) @_keyword
  . (=arguments
    . (=binary_operator
      left: (_)
      operator: _ @name))
  (do_block)? @body) @definition.function
  (#any-of? @_keyword "def" "defp" "defmacro" "defmacrop")
  (#not-match? @name "^(when|\\\\\\\\)$"))

; @type name :: ...
((unary_operator
  operand: (~call
    target: (identifier) @_attribute
    (arguments
      . [
        (identifier) @name
        (~binary_operator left: (identifier) @name operator: "::")
        (~binary_operator left: (~call target: (identifier) @name) operator: "::")
      ]))) @definition.type
  (#any-of? @_attribute "type" "typep" "opaque"))

; @callback name(args) :: ...
((unary_operator
  operand: (~call
    target: (identifier) @_attribute
    (arguments
      . [
        (~binary_operator left: (~call target: (identifier) @name) operator: "::")
        (~binary_operator
          left: (~binary_operator left: (~call target: (identifier) @name) operator: "::")
          operator: "when")
      ]))) @definition.method
  (#any-of? @_attribute "callback" "macrocallback"))

; test "name" do ... end
((call
  target: (identifier) @_keyword
  . (=arguments
    . (string (quoted_content) @name))
  (do_block) @body) @definition.test
  (#any-of? @_keyword "test" "property"))

; @name value, unless the attribute is one of the language or of its common libraries.
((do_block
  (~unary_operator
    operand: (~call
      target: (identifier) @name
      (arguments))) @definition.constant)
  (#not-match? @name "^((module|type|short)?doc|spec|typep?|opaque|(macro)?callback|impl|behaviou?r|optional_callbacks|deprecated|since|derive|enforce_keys|(before|after)_compile|after_verify|on_definition|on_load|compile|dialyzer|external_resource|file|vsn|nifs|(module|describe)?tag|requirements|recursive|preferred_cli_env|protocol|for|fallback_to_any|undefined_impl_description|schema_prefix|schema_context|primary_key|foreign_key_type|timestamps_opts|derive_inspect_for_redacted_fields|attr|slot)$"))

; Docs. These patterns stand last: the kind is that of the first pattern that found the name.
((call
  (arguments . (_) @name)
  (do_block
    (~unary_operator
      operand: (~call
        target: (identifier) @_attribute
        (arguments . [(string) (sigil)] @docstring))))) @definition.module
  (#eq? @_attribute "moduledoc"))

((unary_operator
  operand: (~call
    target: (identifier) @_attribute
    (arguments . [(string) (sigil)] @docstring)))
  .
  [(unary_operator) (comment)]*
  .
  (call
    target: (identifier) @_keyword
    (arguments
      . [
        ; include: elixir/head
      ])) @definition.function
  (#eq? @_attribute "doc")
  (#match? @_keyword "^def(macro|guard)?p?$|^defdelegate$|^defnp?$"))

; @typedoc and @doc of a callback
((unary_operator
  operand: (~call
    target: (identifier) @_doc
    (arguments . [(string) (sigil)] @docstring)))
  .
  (unary_operator
    operand: (~call
      target: (identifier) @_attribute
      (arguments
        . (~binary_operator
          left: [
            (identifier) @name
            (~call target: (identifier) @name)
          ]
          operator: "::")))) @definition.type
  (#any-of? @_doc "doc" "typedoc")
  (#any-of? @_attribute "type" "opaque" "typep" "callback" "macrocallback"))
