"""Definitions of JavaScript and TypeScript that are alive although no code names them."""

import re

from cocosearch_py.languages.language import words
from cocosearch_py.languages.liveness import Exports, Liveness

_NAME = r"[\w$]+"
_LIST = re.compile(
    rf"^[ \t]*export\s+(?:type\s+)?(?:\{{(?P<names>[^}}]{{0,20000}})\}}|\*(?:\s*as\s+(?:{_NAME}|['\"][^'\"]*['\"]))?)"
    r"(?P<source>\s*from\b)?",
    re.MULTILINE,
)
_DEFAULT = re.compile(rf"^[ \t]*export\s+default\s+({_NAME})[ \t]*;?[ \t]*(?://.*)?$", re.MULTILINE)
_DYNAMIC = re.compile(r"\b(?:import|require|importActual|importOriginal)\s*(?:<[^>]{0,1000}>)?\(")
_WHOLE = re.compile(
    rf"\bimport\s+(?:type\s+)?(?:{_NAME}\s*,\s*)?\*\s*as\s+({_NAME})"
    rf"|\b(?:const|let|var)\s+({_NAME})\s*(?::[^=]{{1,1000}})?=\s*(?:await\s+)?(?:require|import)\s*\("
)
_INLINE = re.compile(rf"\bimport\(\s*['\"][^'\"]*['\"]\s*\)\s*\.\s*({_NAME})")
_MODULE = re.compile(r"^[ \t]*(?:import|export)\b|\bmodule\.exports\b|\bexports\.|\brequire\s*\(", re.MULTILINE)
_OFFER = re.compile(r"^[ \t]*export\b|\bmodule\.exports\b|\bexports\.", re.MULTILINE)
_SOURCE = re.compile(r"(?:\bfrom|\bimport|\brequire)\s*\(?\s*(?:'[^'\n]*'|\"[^\"\n]*\")")
_COMMENT = re.compile(r"/\*.*?\*/|//[^\n]*", re.DOTALL)

_ENTRIES = r"""
(?:^|/)[\w.-]+\.(?:config|conf|setup|stories|story|d|worker|mock)\.[cm]?[jt]sx?$ | \.d\.[cm]?ts$
| (?:^|/)\.[\w-]+rc\.[cm]?js$ | (?:^|/)\.storybook/
| (?:^|/)(?:pages|routes|api)/.*\.[cm]?[jt]sx?$
| (?:^|/)(?:page|layout|route|loading|error|not-found|template|default|middleware|instrumentation|global-error|sitemap
    |robots|manifest|opengraph-image|icon|hooks\.(?:server|client)|entry[.-](?:server|client)|_app|_document
    |\+\w+(?:\.server)?)\.[cm]?[jt]sx?$
| (?:^|/)(?:gulpfile|gruntfile|karma|webpack|rollup|vite|vitest|jest|babel|eslint|prettier)[\w.-]*\.[cm]?[jt]s$
| (?:^|/)\.vitepress/(?:theme/index|config|[\w.-]+\.data)\.[cm]?[jt]s$ | (?:^|/)__mocks__/ | (?:^|/)src/theme/
| (?:^|/)(?:siteConfig|sidebars)\.[cm]?[jt]s$
"""


def read_exports(text: str) -> Exports:
    """Return the exports of a file, by its text alone."""
    names: dict[str, list[str]] = {}
    lists, passed_on = set[int](), set[int]()
    for found in _LIST.finditer(text):
        first = text.count("\n", 0, found.start()) + 1
        lines = range(first, first + found.group().count("\n") + 1)
        (passed_on if found["source"] else lists).update(lines)
        if found["names"] is not None and not found["source"]:
            for one in _COMMENT.sub("", found["names"]).split(","):
                inner, _, outer = one.strip().removeprefix("type ").partition(" as ")
                names.setdefault(inner.strip(), []).append(outer.strip() or inner.strip())
    for found in _DEFAULT.finditer(text):
        lists.add(text.count("\n", 0, found.start()) + 1)
        names.setdefault(found[1], []).append("default")
    return Exports(
        {name: tuple(one) for name, one in names.items()},
        frozenset(lists),
        frozenset(passed_on),
        frozenset(text.count("\n", 0, found.start()) + 1 for found in _DYNAMIC.finditer(text)),
        frozenset(name for name in _wholes(text) if _escapes(text, name)),
        frozenset(_INLINE.findall(text)),
        _MODULE.search(text) is not None,
        _OFFER.search(text) is not None,
    )


def _wholes(text: str) -> set[str]:
    return {first or second for first, second in _WHOLE.findall(text)}


def _escapes(text: str, name: str) -> bool:
    """Whether the name of a module stands anywhere but at its import and before a member of it."""
    text = _SOURCE.sub("", text)
    uses = re.findall(rf"(?<![\w$.]){re.escape(name)}(?![\w$])(?!\s*\??\.\s*[\w$#])", text)
    return len(uses) > 1


def _is_private(name: str, signature: str) -> bool:
    return name.startswith("#") or "private" in signature.partition("(")[0].split()


LIVENESS = Liveness(
    is_measured=True,
    comment=re.compile(r"\s*(?://|/\*|\*(?!/)|<!--)"),
    decorator=re.compile(r"\s*@\s*([\w.]+)"),
    hooks=re.compile(
        r"constructor|toString|toJSON|valueOf|\[.*|ngOnInit|ngOnDestroy|ngOnChanges|ngAfter\w+|ngDoCheck"
        r"|render|component(?:Did|Will)\w+|shouldComponentUpdate|getDerivedStateFrom\w+|getSnapshotBeforeUpdate"
        r"|connectedCallback|disconnectedCallback|attributeChangedCallback|adoptedCallback"
        r"|onModuleInit|onModuleDestroy|onApplication\w+|canActivate|intercept|transform"
    ),
    entries=re.compile(f"(?x:{_ENTRIES})"),
    declares=re.compile(r"\.d\.[cm]?ts$"),
    bases=re.compile(r"\b(?:extends|implements)\s+([^{]+)"),
    plain_bases=frozenset(words("Error TypeError RangeError Array Map Set Object")),
    composed=re.compile(r"""["'`]([A-Za-z_$][\w$]*)(?:\$\{|["']\s*\+)|(?:\}|\+\s*["'])([A-Z_][\w$]*)[`"']"""),
    looks_up=re.compile(r"[\w$)\]]\["),
    is_private=_is_private,
    is_exported=lambda signature: signature.startswith("export "),
    read_exports=read_exports,
    is_deferred=lambda line: line[:1].isspace() or line.startswith(("import type", "export type")),
    published={"package.json": re.compile(r'"name"\s*:')},
    begins=frozenset(words("index main mod cli server app bin client entry")),
    begins_always=frozenset(words("index main mod cli")),
    sources=frozenset(words("src lib source")),
)
