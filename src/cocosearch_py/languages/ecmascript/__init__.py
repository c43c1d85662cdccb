"""What JavaScript, TypeScript and TSX share."""

from cocosearch_py.languages.visibility import PUBLIC, modifiers

PARTED_DOC_OPENING = "/**"  # JSDoc
visibility = modifiers(PUBLIC)
