"""Lets the grammar read C# that is newer or rarer than it, in files with syntax errors; see also `mending`."""

from cocosearch_py.languages.repairing import blank, repair_by

repair = repair_by(
    (
        # return *(int*)p: behind a word the grammar takes the star for a product's, and the cast is mended already
        (b"*", rb"\b(?:return|await|case|in|when|is|and|or|throw|else)[ \t]+(\*{1,4})(?=[ \t]*[\w(])", blank),
        # a?.B = c, a?[0] += b
        (b"?", rb"[\w\])](\?)(?=[.\[][\w.\[\]?()]{1,200}[ \t]*(?:[-+*/%&|^]|<<|>>>?|\?\?)?=(?![=>]))", blank),
        # (text, out number) => ...
        (b"=>", rb"[(,][ \t]*(out|ref|in|scoped)(?=[ \t]+\w+[ \t]*(?:,[^(){}\n]{0,200})?\)[ \t]*=>)", blank),
    ),
)
