"""Common parts of JavaScript, TypeScript and TSX."""

from cocosearch_py.languages.visibility import PUBLIC, modifiers

PARTED_DOC_OPENING = "/**"  # JSDoc
REFLECTIVE = "eval:0 Function:0 Reflect.get:1 Reflect.ownKeys:- *.getOwnPropertyNames:-"  # and `a[x]()`, see facts.scm
visibility = modifiers(PUBLIC)
