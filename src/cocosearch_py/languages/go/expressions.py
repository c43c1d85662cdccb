"""Lets the grammar read `new(expression)` of Go 1.26, where it knows `new(Type)` only.

It tells builtins that take a type from other functions by their names. Where the argument cannot be a type, `new` is
replaced before parsing by a name of the same length that is no builtin's; what may be a type stays. The names of
definitions are read from the source.
"""

import re

_ORDINARY_NAME = b"neW"
# Tried at each `new(`; "new" stands first to make the search fast. Repetitions of blanks and brackets have bounds.
_NEW_OF_EXPRESSION = rb"""(?x)
new (?<![\w.\x80-\xff]new) (?= \( [ \t\r\n]{0,200} (?:
    [\d"'`!&^+-]                                                   # a literal, an operator
  | <- (?! [ ]? chan\b )
  | \( [ ]{0,9} (?! (?: map | func | chan | struct | interface )\b ) [\w"'`-]
  | \** NAME (?: \.NAME )*+ (?:                                    # a name or path, then what no type has behind it
        \.\(                                                       #   x.(T)
      | [ \t]{0,9} (?: [({/%&|^<>=!*+-] )                          #   f(x), T{1}, a + b
      | BRACKETS [ \t]{0,9} [({/%&|^<>=!*+.[-]                     #   f[int](x), x[i].y
      | \[ [ ]{0,9} (?: [\d"'`] | [\w.]{0,99} [ ]{0,9} [:(+-] )    #   x[0], x[i+1], x[len(x)-1]
    )
  | \** NAME \.NAME \.NAME                                         # a.b.c: a type has one package
  | (?: \** (?:map)? BRACKETS )+ \** NAME (?: \.NAME )*+ BRACKETS? [ ]? [({]  # []T{...}, []byte("x")
) )
""".replace(b"NAME", rb"(?:(?!(?:func|map|chan|struct|interface)\b)[A-Za-z_\x80-\xff][\w\x80-\xff]*+)").replace(
    b"BRACKETS", rb"(?:\[[^\[\]\n]{0,200}(?:\[[^\[\]\n]{0,200}\][^\[\]\n]{0,200})?\])"
)


def hide_new_of_expressions(source: bytes) -> bytes:
    """Return the source, of the same length, with another name for each `new` that is given a value."""
    return re.sub(_NEW_OF_EXPRESSION, _ORDINARY_NAME, source) if b"new(" in source else source
