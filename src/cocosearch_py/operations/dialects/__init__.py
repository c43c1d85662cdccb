"""Names of other programs that differ in more than names: each asked, answered and failing as its program documents.

Not tools of their own: `Alias.dialect` of the operation that they stand for leads here.
"""
