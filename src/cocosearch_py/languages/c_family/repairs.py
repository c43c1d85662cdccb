"""Replacement of macros in C and C++ near the places where the grammar has failed: same length, same lines.

`hide_macros` knows what is worth looking for in each file. What stands here is looked for only around syntax errors, so
it may be bolder: a change that leaves as many errors is thrown away.
"""

import re
from collections.abc import Callable, Iterator, Sequence
from functools import lru_cache

from cocosearch_py.languages.c_family.braces import unclosed
from cocosearch_py.languages.repairing import blank

Span = tuple[int, int]

_MAX_PLACES = 40
_LINES_ABOVE = 4  # with that of the error; a macro begins above what its arguments break
_AROUND_BYTES = 200  # a window reaches to the ends of lines, but not so far that a file of one line is all window
_UNBRANCHED_BYTES = 100_000  # larger ones are not read once for each branch: an `#ifdef` between items is hidden
_MACRO = rb"(?:[A-Z][A-Z0-9_]{2,60}|_[A-Z][a-z_]{1,30}_)"
_GROUP = rb"\((?:[^()]|\((?:[^()]|\([^()]{0,200}\)){0,300}\)){0,600}\)"
_NO_TYPE = (
    rb"(?<!\bconst)(?<!\bstatic)(?<!\bextern)(?<!\binline)(?<!\bstruct)(?<!\bunion)(?<!\benum)(?<!\bclass)(?<!\breturn)"
    rb"(?<!\bcase)(?<!\bgoto)(?<!\belse)(?<!\bsizeof)(?<!\bunsigned)(?<!\bsigned)(?<!\bvolatile)(?<!\btypedef)"
    rb"(?<!\bnew)(?<!\bdelete)(?<!\bthrow)(?<!define)(?<!\btypename)(?<!\bregister)(?<!\boperator)(?<!\bfriend)"
)
# A comment in a macro's body ends the body for the grammar.
_DEFINITION = re.compile(rb"(?m)^[ \t]*#[ \t]*define\b(?:[^\\\n]|\\(?:\r?\n|.)){1,100000}")
_COMMENT = re.compile(rb"/\*(?:[^*]|\*(?!/)){0,2000}\*/")
# f(x, struct s *), f(x, char), f(x, const T *): types where values are expected
_TYPE_ARGUMENT = re.compile(
    rb"(?<=[(,])\s*((?:const\s+)?(?:typename\s+)?(?:(?:struct|union|enum)\s+\w+"
    rb"|(?:(?:unsigned|signed|long|short|int|char|char16_t|char32_t|wchar_t|float|double|void|bool)\b\s*){1,4}"
    rb"|[A-Za-z_](?:[\w:]*\w)?(?=\s*(?:const\s*)?[*&])|\w+\s+(?=const\b))(?:\s*(?:const\b|[*&])){0,4})\s*(?=[,)])"
)
_WORDS = rb"(?:[A-Za-z_][\w:]*(?:<[^<>\n;]{0,100}>)?[\s*&]+){1,6}"
_BEFORE_TYPE = re.compile(
    rb"(?<![\w.>#])("
    + _MACRO
    + rb"(?:[ \t]*\([^()\n]{0,200}\))?)\s+(?!"
    + _MACRO
    + rb"[ \t]+\w+\s*\()(?="
    + _WORDS
    + rb"\(?[*]?[A-Za-z_~]|extern\b)"
)
_BEFORE_NAME = re.compile(
    rb"(?:(?<=[\w>)])(?=[ \t]+[A-Z_])"  # looked at first: it fails nearly everywhere, and costs least
    + _NO_TYPE
    + rb"[ \t]+|(?<=[*&])[ \t]*)("
    + _MACRO
    + rb"(?:\([^()\n]{0,200}\))?)(?=[ \t\n*&]+[A-Za-z_]\w*\s*[(;=,)\[])"
)
# Without brackets of its own behind a parameter or a function only: `const int FOO_BAR = 1;` is the name itself.
_BEHIND_NAME = re.compile(
    rb"(?<=[\w)\]])(?=(?:\r?\n)?[ \t]+[A-Z])"
    + _NO_TYPE
    + rb"(?:\r?\n)?[ \t]+([A-Z][A-Z0-9]*_[A-Z0-9_]+(?:[ \t]*"
    + _GROUP
    + rb"(?=\s*[;,)={:])|(?=\s*[,)])))"
)
_BEHIND_FUNCTION = re.compile(rb"(?<=\))(?:\r?\n)?[ \t]+([A-Z][A-Z0-9]*_[A-Z0-9_]+)(?=\s*[;{,)])")
_BEFORE_CONSTRUCTOR = re.compile(
    rb"(?m)^[ \t]*(?:(?:explicit|inline|constexpr|virtual)[ \t]+){0,3}((?:" + _MACRO + rb"[ \t]+){1,3})"
    rb"(?=(?:explicit[ \t]+)?~?[A-Za-z_]\w*[ \t]*\()"
)
_LINE = re.compile(
    rb"(?m)^[ \t]*([A-Z][A-Z0-9]*_[A-Z0-9_]+(?:[ \t]*" + _GROUP + rb")?)[ \t]*(?://[^\n]*|/\*[^\n]*)?\r?$"
)
_X_MACRO = re.compile(
    rb"(?m)^([ \t]*#[ \t]*define[ \t]+(\w+)\([^\n]*\n\s*[A-Z]\w*\(\s*\2\s*\)\s*\n[ \t]*#[ \t]*undef[ \t]+\2\b)"
)
_AROUND_FUNCTION = re.compile(rb"\b([A-Z][A-Z0-9]*_[A-Z0-9_]+\()(?=" + _WORDS + rb"\w+[ \t]*" + _GROUP + rb"\))")
_AROUND_FUNCTION_END = re.compile(
    rb"\b[A-Z][A-Z0-9]*_[A-Z0-9_]+\(" + _WORDS + rb"\w+[ \t]*" + _GROUP + rb"(\))(?=\s*[;{])"
)
_IN_STRING = re.compile(rb"\"\s*[A-Z]\w*[ \t]*(\([^()\n]{0,100}\))")
_BEFORE_STRING = re.compile(rb"\b[A-Z][A-Z0-9_]*[ \t]*(\([^()\n]{0,100}\))(?=\s*\")")
_WORD_BEFORE_TYPE = re.compile(
    rb"(?m)^[ \t]*(?:static[ \t]+)?(?!(?:static|extern|const|unsigned|signed|long|short|struct|union|enum|typedef"
    rb"|volatile|register|inline|return|case|goto|else|using|class|typename|friend|public|private|protected|new|delete"
    rb"|throw|operator|template|namespace|virtual|explicit|constexpr|mutable)\b)([a-z_]\w*)"
    rb"(?=[ \t]+(?!const\b|volatile\b)[A-Za-z_]\w*[ \t*]+[A-Za-z_]\w*[ \t]*[;=,\[])"
)
_WORD_BEFORE_SPECIFIER = re.compile(
    rb"(?m)^[ \t]*(?:template[ \t]*<[^\n;{}]{0,200}>[ \t]*)?"
    rb"(?!(?:const|unsigned|signed|long|short|int|char|bool|void|auto|float|double|extern|static|inline|virtual"
    rb"|explicit|constexpr|friend|typedef|volatile|register|mutable|return|else"
    rb"|consteval|constinit|thread_local|export|case|goto|new|delete|throw|using|if)\b)([a-z_]\w*)"
    rb"(?=[ \t]+(?:constexpr|static|inline|virtual|explicit)\b)"
)
_BEFORE_UNDEF = re.compile(rb"(?m)^[ \t]*([A-Z][A-Z0-9_]{2,})(?=[ \t]*\r?\n[ \t]*#[ \t]*undef\b)")  # X macros
_DEFINED_HERE = re.compile(
    rb"(?m)^([ \t]*#[ \t]*define[ \t]+\w+\((?:[^\\\n]|\\(?:\r?\n|.)){1,300}\n\s*[A-Z][A-Z0-9_]{2,}[ \t]*\r?\n"
    rb"[ \t]*#[ \t]*undef\b[^\n]{1,60})"
)
_GENERATOR = re.compile(rb"(?m)^([a-z_]\w*[ \t]*" + _GROUP + rb")(?=[ \t]*;?[ \t]*\r?\n(?:[ \t]*\r?\n|[a-z_]\w*\(,))")
_INCLUDE_TEST = re.compile(rb"(?i)has_include(?:_next)?[ \t]*(\([ \t]*[<\"][^>\"\n]*[>\"][ \t]*\))")
_MACRO_BEFORE_STRING = re.compile(rb"[(,]\s*([A-Z][A-Z0-9_]{2,})(?=\s*\")")
_MACRO_OF_IF = re.compile(rb"\bif[ \t]+(" + _MACRO + rb")(?=[ \t]*\()")
_OPERATOR = re.compile(rb"(?:->|\.|\breturn|[;{}])\s*(operator[ \t]*(?:\[\]|\(\)|[^\w\s(]{1,3}))(?=[ \t]*\()")
_SECTION = re.compile(rb"(?m)^[ \t]*([A-Z][A-Z0-9_]{7,}|signals)(?=[ \t]*:[ \t]*(?:/[/*][^\n]*)?\r?$)")
_SLOTS = re.compile(rb"\b(?:public|private|protected)([ \t]+(?:slots|Q_SLOTS))(?=[ \t]*:)")
_SECOND_VALUE = re.compile(rb"(,[ \t]*(?:void\(\)|0))(?=\s*\))")
_CALLING = re.compile(rb"\([ \t]*(" + _MACRO + rb")(?=\s*\*\s*\w+\s*\))")
_UNUSED = re.compile(rb"[*&][ \t]*(/\*[ \t]*\w+[ \t]*\*/)(?=[ \t]*=)")
_STATEMENT = re.compile(rb"(?m)^[ \t]*([A-Z][A-Z0-9]*_[A-Z0-9_]+[ \t]*" + _GROUP + rb")(?=[ \t]*;)")
_DECLTYPE = re.compile(rb"\bdecltype[ \t]*(" + _GROUP + rb")")
_DEFAULT = re.compile(rb"=\s*((?:const\s+)?[\w:]+\s*\*)(?=\s*>)")
_DEFAULT_NULL = re.compile(rb"(\*[ \t]*=[ \t]*nullptr)(?=\s*>)")
_THROWN = re.compile(rb"(?<=\()(throw)\b")
_MEMBER_POINTER = re.compile(rb"\(([A-Za-z_]\w*::)(?=\*\w)")
_MEMBER_CALL = re.compile(rb"(->\*)(?=\()")
_UNNAMED = re.compile(rb"(?<=[(,])\s*(" + _MACRO + rb")(?=\s+\w+\s*[,)])")
_TYPENAME_VALUE = re.compile(rb"(?:(?<=[=(,&|\[])\s*|\busing[ \t]+)(typename)(?=\s+[\w:]+[(;])")
# enum { OPT(NAME, TYPE, 1), ...: the first argument is the name
_ENUMERATOR = re.compile(rb"(?m)(?<=[,{/])\s*^[ \t]*(" + _MACRO + rb"[ \t]*\(\w+(?:,[^()\n]{0,200})?\))(?=[ \t]*,)")
# FMT_TRY {...} FMT_CATCH(...) {...}
_TRY = re.compile(rb"\b((?:[A-Z0-9]+_)*TRY)(?=\s*\{)")
_CATCH = re.compile(rb"\b((?:[A-Z0-9]+_)*CATCH(?:_[A-Z]+)?[ \t]*" + _GROUP + rb")(?=\s*\{)")
_EMPTY_DEFAULT = re.compile(rb"(=[ \t]*\{[ \t]*\})(?=\s*[,)])")
_TEMPLATE_OPERATOR = re.compile(rb"\b(operator[ \t]*\(\))(?=<)")
_MEMBER_OF = re.compile(rb"(?<=[\w)\]])(\.\*)(?=\()")
_ADDRESS_ARGUMENT = re.compile(rb"(?<=[<,])\s*(&)(?=[A-Za-z_][\w:]*\s*>)")
_KEYWORD_ARGUMENT = re.compile(
    rb"(?<=[(,])\s*(template|typename|class|struct|union|enum|operator|default|delete|new|using|namespace|private"
    rb"|public|protected|friend|export|static|virtual|explicit|inline|const|if|for|while|case|try|catch)(?=\s*[,)])"
)
_DIRECTIVE = re.compile(rb"(?m)^([ \t]*#[ \t]*(?:if|ifdef|ifndef|endif)\b(?![^\n]*__cplusplus)[^\n]*)")
_TEMPLATE_ARGUMENT = re.compile(rb"(?<=[<,])\s*(" + _MACRO + rb"[ \t]*" + _GROUP + rb")(?=\s*[,>=])")
_ENUM_BASE = re.compile(rb"\benum\s*(:[\w:\s]{1,60})(?=\{)")  # of one without a name
_SIZED_CAST = re.compile(rb"(?:[(=,|&+\-*/?:<]|\breturn)\s*(unsigned|signed|long|short)(?=\()")
_INSTANTIATION = re.compile(
    rb"(?m)^[ \t]*(?:extern[ \t]+)?(template[ \t]+)(?=(?:class|struct|union)\b[^;{}()]{1,300};)"
)
_DELETED = re.compile(rb"(=[ \t]*(?:delete|default))(?=[ \t]*;)")
_ATTRIBUTE_LINE = re.compile(rb"(?m)^[ \t]*(__attribute__[ \t]*" + _GROUP + rb")[ \t]*\r?$")
_ATTRIBUTE_BRANCH = re.compile(
    rb"(?m)^([ \t]*#[ \t]*if[^\n]*\n[ \t]*__attribute__[ \t]*" + _GROUP + rb"[ \t]*\r?\n[ \t]*#[ \t]*endif[^\n]*)"
)
_DECLSPEC = re.compile(rb"\bextern[ \t]+\"C\"[ \t]+(__declspec[ \t]*\([^()\n]{0,100}\))")
_TEMPLATE_MEMBER = re.compile(rb"(?:\.|->)\s*(template)(?=\s+\w)")
_DEFAULT_ARRAY = re.compile(rb"=\s*[\w:]+\s*(\(&\)\s*\[\w*\])(?=\s*[,>])")
_EXPLICIT_OBJECT = re.compile(rb"\([ \t]*(this)(?=[ \t]+[A-Za-z_])")  # void f(this auto& self)
_EMPTY_DIRECTIVE = re.compile(rb"(?m)^[ \t]*(#)[ \t]*\r?$")
_BLOCK = re.compile(rb"\(\s*(\^)(?=\s*\w*\s*\)\s*\()")  # void (^)(int): a pointer to a function for Clang
_QUALIFIER = re.compile(rb"[\w*&)][ \t]*(?<!\w)(__ptr32|__ptr64|__unused|__restrict|__capability)\b(?=[ \t]*[*),;\w])")
_MACRO_BEFORE_MACRO = re.compile(rb"[(,]\s*([A-Z][A-Z0-9_]{2,}[ \t]+)(?=[A-Z][A-Z0-9_]{2,}\s*[,)])")
# MACRO(x) without a semicolon: the blank in front of the next line becomes one
_UNENDED = re.compile(
    rb"(?m)^[ \t]+(?!(?:if|while|for|switch|return)\b)\w+[ \t]*" + _GROUP + rb"[ \t]*\r?\n([ \t])(?=[ \t]*[\w}])"
)


def repair(source: bytes, errors: Sequence[Span], turn: int) -> Iterator[tuple[int, bytes]]:
    """Yield what to write over the source, as offset and text, in no order; overlaps are possible.

    Args:
        errors: the first places where a parse failed, in bytes.
        turn: 0 for the first time; what is likely to be right comes first, the rest from the next time on,
            braces that nothing closes at last.
    """
    if turn >= len(_BY_TURN):
        yield from ((at, b";") for at in unclosed(source))
        return
    yield from _comments_in_macros(source)
    yield from _tries(source)
    whole, found = (0, len(source)), _found(source)
    in_code = _possible(source, whole, _BY_TURN[turn])
    in_directives = _possible(source, whole, (*_IN_CONDITIONS, *_IN_VALUES[:turn]))
    for window in _windows(source, errors):
        for pattern, mend in _possible(source, window, in_code):
            for match in _matches(found, source, window, pattern):
                if _is_code(source, match.start(1)) and _is_code(source, match.start()):
                    yield match.start(1), mend(match.group(1))
        for pattern, mend in _possible(source, window, in_directives):
            for match in _matches(found, source, window, pattern):
                yield match.start(1), mend(match.group(1))
    for start, _ in errors if turn and len(source) > _UNBRANCHED_BYTES else ():
        if (directive := _DIRECTIVE.match(source, start)) is not None:
            yield start, blank(directive.group())


def _possible(source: bytes, window: Span, mends: "_Mends") -> "_Mends":
    """Those whose pattern can match in a part of a source."""
    found, start, end = [], *window
    for mend in mends:
        for word in _NEEDED.get(mend[0], (b"",)):
            if source.find(word, start, end) >= 0:
                held = _HELD.get(mend[0])
                if held is None or held.search(source, start, end):
                    found.append(mend)
                break
    return tuple(found)


@lru_cache(maxsize=1)
def _found(source: bytes) -> "_Found":
    """Return the source after the turns so far: one that helped nothing leaves it as it is to the next."""
    return {}


def _matches(found: "_Found", source: bytes, window: Span, pattern: re.Pattern[bytes]) -> "list[re.Match[bytes]]":
    """All matches in a part of a source."""
    key = pattern, window
    if key not in found:
        found[key] = list(pattern.finditer(source, *window))
    return found[key]


def _tries(source: bytes) -> Iterator[tuple[int, bytes]]:
    """Hide the beginnings of `TRY {...} CATCH (...) {...}`: what fails may be its other half, in another window."""
    if _possible(source, (0, len(source)), ((_CATCH, blank),)) and _CATCH.search(source):
        for match in _TRY.finditer(source):
            yield match.start(1), blank(match.group(1))


def _as_value(text: bytes) -> bytes:
    """A type as a value of the same length: without `struct` and stars, `unsigned int` as `unsigned_int`."""
    text = re.sub(rb"\b(?:struct|union|enum|const|typename)\b|[*&]", lambda match: b" " * len(match.group()), text)
    words = text.rstrip()
    lead = len(words) - len(words.lstrip())
    word = re.sub(rb"[ \t]", b"_", words[lead:])
    return words[:lead] + word[:1].upper() + word[1:] + text[len(words) :]


def _first_argument(call: bytes) -> bytes:
    before, _, behind = call.partition(b"(")
    name = re.match(rb"\w+", behind)
    assert name is not None  # as the pattern has it
    return (b" " * (len(before) + 1) + name.group()).ljust(len(call))


def _as_lower_word(call: bytes) -> bytes:
    """The name of a macro in small letters, which no other pattern takes for one, without its arguments."""
    name = re.match(rb"\w+", call)
    assert name is not None  # as the pattern has it
    return name.group().lower() + blank(call[name.end() :])


def _as_sum(group: bytes) -> bytes:
    """Several values in brackets as one: with + between them, and without `void()` at the end."""
    group = re.sub(rb",\s*(?:void\(\)|0)(?=\s*\)$)", lambda match: blank(match.group()), group)
    group = re.sub(rb"(?<=\.)template\b", lambda match: blank(match.group()), group)
    depth, found = 0, bytearray(group)
    for at, byte in enumerate(group):
        depth += (byte in b"(<{") - (byte in b")>}")
        if byte == ord(",") and depth == 1:
            found[at] = ord("+")
    return bytes(found)


def _as_word(text: bytes) -> bytes:
    return re.sub(rb"\W", b"_", text)


_Mends = tuple[tuple[re.Pattern[bytes], Callable[[bytes], bytes]], ...]
_Found = dict[tuple[re.Pattern[bytes], Span], list[re.Match[bytes]]]
_CAREFUL: _Mends = (
    (_TYPE_ARGUMENT, _as_value),
    (_TEMPLATE_ARGUMENT, _as_lower_word),
    (_MACRO_OF_IF, blank),
    (_OPERATOR, _as_word),
    (_SECTION, lambda name: b"private".ljust(len(name))),
    (_SLOTS, blank),
    (_SECOND_VALUE, blank),
    (_THROWN, blank),
    (_MEMBER_POINTER, blank),
    (_MEMBER_CALL, lambda text: b" + "),
    (_UNNAMED, blank),
    (_CALLING, blank),
    (_DECLTYPE, _as_sum),
    (_DEFAULT, _as_value),
    (_DEFAULT_NULL, blank),
    (_UNUSED, _as_word),
    (_TYPENAME_VALUE, blank),
    (_ENUMERATOR, _first_argument),
    (_CATCH, blank),
    (_EMPTY_DEFAULT, blank),
    (_TEMPLATE_OPERATOR, _as_word),
    (_MEMBER_OF, lambda text: b"+ "),
    (_ADDRESS_ARGUMENT, blank),
    (_KEYWORD_ARGUMENT, bytes.capitalize),
    (_ENUM_BASE, blank),
    (_SIZED_CAST, bytes.capitalize),
    (_INSTANTIATION, blank),
    (_DELETED, blank),
    (_ATTRIBUTE_LINE, blank),
    (_DECLSPEC, blank),
    (_TEMPLATE_MEMBER, blank),
    (_DEFAULT_ARRAY, blank),
    (_BLOCK, lambda text: b"*"),
    (_QUALIFIER, blank),
    (_EXPLICIT_OBJECT, blank),
)
_IN_CONDITIONS: _Mends = (
    (_INCLUDE_TEST, blank),
    (_X_MACRO, blank),
    (_EMPTY_DIRECTIVE, blank),
    (_ATTRIBUTE_BRANCH, blank),
)
_IN_VALUES: _Mends = ((_DEFINED_HERE, blank),)
_BOLD: _Mends = (
    *_CAREFUL,
    (_BEFORE_TYPE, blank),
    (_BEFORE_NAME, blank),
    (_BEHIND_NAME, blank),
    (_BEHIND_FUNCTION, blank),
    (_BEFORE_CONSTRUCTOR, blank),
    (_LINE, blank),
    (_AROUND_FUNCTION, blank),
    (_AROUND_FUNCTION_END, blank),
    (_IN_STRING, blank),
    (_BEFORE_STRING, blank),
    (_WORD_BEFORE_TYPE, blank),
    (_WORD_BEFORE_SPECIFIER, blank),
    (_BEFORE_UNDEF, blank),
    (_MACRO_BEFORE_STRING, blank),
    (_MACRO_BEFORE_MACRO, blank),
)
_LAST: _Mends = (*_BOLD, (_STATEMENT, blank), (_UNENDED, lambda blank: b";"), (_GENERATOR, blank))
_BY_TURN = (_CAREFUL, _BOLD, _LAST)
# One of these is in what each match of a pattern takes or looks ahead at: most sources, and most places of one, lack
# them, which is seen a hundred times as fast.
_NEEDED = {
    _ADDRESS_ARGUMENT: (b"&",),
    _ATTRIBUTE_BRANCH: (b"__attribute__",),
    _ATTRIBUTE_LINE: (b"__attribute__",),
    _BEFORE_UNDEF: (b"undef",),
    _BLOCK: (b"^",),
    _CATCH: (b"CATCH",),
    _DECLSPEC: (b"__declspec",),
    _DECLTYPE: (b"decltype",),
    _DEFAULT_ARRAY: (b"(&)",),
    _DEFAULT_NULL: (b"nullptr",),
    _DEFINED_HERE: (b"undef",),
    _DELETED: (b"delete", b"default"),
    _EMPTY_DIRECTIVE: (b"#",),
    _ENUM_BASE: (b"enum",),
    _EXPLICIT_OBJECT: (b"this ",),
    _INSTANTIATION: (b"template",),
    _MACRO_OF_IF: (b"if",),
    _MEMBER_CALL: (b"->*",),
    _MEMBER_OF: (b".*",),
    _MEMBER_POINTER: (b"::",),
    _OPERATOR: (b"operator",),
    _QUALIFIER: (b"__ptr", b"__unused", b"__restrict", b"__capability"),
    _SECTION: (b":",),
    _SIZED_CAST: (b"signed(", b"long(", b"short("),
    _SLOTS: (b"slots", b"Q_SLOTS"),
    _TEMPLATE_MEMBER: (b"template",),
    _TEMPLATE_OPERATOR: (b"operator",),
    _THROWN: (b"throw",),
    _TYPENAME_VALUE: (b"typename",),
    _WORD_BEFORE_SPECIFIER: (b"constexpr", b"static", b"inline", b"virtual", b"explicit"),
    _X_MACRO: (b"undef",),
}
# Likewise, of patterns that begin with what is everywhere: these begin with a word, and are found much faster.
_HELD = {
    _ADDRESS_ARGUMENT: re.compile(rb"&[A-Za-z_][\w:]*\s*>"),
    _CATCH: re.compile(rb"CATCH(?:_[A-Z]+)?[ \t]*" + _GROUP + rb"\s*\{"),
    _ENUM_BASE: re.compile(rb"enum\s*:"),
    _INSTANTIATION: re.compile(rb"template[ \t]+(?:class|struct|union)\b"),
    _MEMBER_OF: re.compile(rb"\.\*\("),
    _OPERATOR: re.compile(rb"operator[ \t]*(?:\[\]|\(\)|[^\w\s(]{1,3})[ \t]*\("),
    _QUALIFIER: re.compile(rb"__(?:ptr32|ptr64|unused|restrict|capability)\b[ \t]*[*),;\w]"),
    _TEMPLATE_OPERATOR: re.compile(rb"operator[ \t]*\(\)<"),
    _TYPENAME_VALUE: re.compile(rb"typename\s+[\w:]+[(;]"),
}


def _is_code(source: bytes, at: int) -> bool:
    """Say whether a place is in no directive and, as far as its line tells, in no comment and no string."""
    nearest = max(0, at - 2 * _AROUND_BYTES)
    before = source[max(nearest, source.rfind(b"\n", nearest, at) + 1) : at]
    stripped = before.lstrip()
    return not (
        stripped.startswith((b"#", b"*", b"//"))
        or b"//" in before
        or before.rfind(b"/*") > before.rfind(b"*/")
        or before.replace(b'\\"', b"").count(b'"') % 2
    )


def _comments_in_macros(source: bytes) -> Iterator[tuple[int, bytes]]:
    if b"\\\n" in source or b"\\\r\n" in source:
        for definition in _DEFINITION.finditer(source):
            for comment in _COMMENT.finditer(source, definition.start(), definition.end()):
                yield comment.start(), re.sub(rb"[^\\\r\n]", b" ", comment.group())


def _windows(source: bytes, errors: Sequence[Span]) -> Iterator[Span]:
    """The lines of the errors, some above and one below; of many errors everything."""
    if len(errors) > _MAX_PLACES:
        yield 0, len(source)
        return
    begun, done = 0, 0
    for start, end in sorted(errors):
        first = start
        for _ in range(_LINES_ABOVE):
            first = max(source.rfind(b"\n", max(0, first - _AROUND_BYTES), first), 0)
        first = max(first, start - 2 * _AROUND_BYTES, 0)
        if first > done:
            yield begun, done
            begun = first
        last = source.find(b"\n", end + _AROUND_BYTES, end + 2 * _AROUND_BYTES)
        done = max(done, last if last >= 0 else min(len(source), end + _AROUND_BYTES))
    yield begun, done
