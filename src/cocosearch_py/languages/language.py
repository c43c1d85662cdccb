"""Description of a language. Holds values only: looks at no file and loads no grammar."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal

from cocosearch_py.languages.conditionals import Reading
from cocosearch_py.languages.visibility import Rule, public

LanguageKind = Literal["code", "config", "docs", "data"]
# Which comments a language has: `//` and `/* */`; `#`; both; `--`; `;`; `%`; `(* *)`; `<!-- -->`.
CommentStyle = Literal["slash", "hash", "slash_hash", "dash", "semicolon", "percent", "paren", "markup"]

TEXT_LANGUAGE_ID = "text"  # of a file that nothing names


@dataclass(frozen=True, slots=True, eq=False)
class Language:
    """One language. All strings but `name` are in lower case.

    Attributes:
        extensions: with a dot in front.
        filenames: whole names.
        interpreters: programs of a `#!` line, without version numbers.
        grammar: module of a `tree-sitter-<language>` wheel, with ":function" when it has several grammars; or None.
        comments: how its comments are written, see `CommentStyle`.
        lexer: name for terminal colours where it is not the id.
        probes: extension to pattern. A file with that extension whose first bytes fit is in this language, whoever
            has the extension; the extension "" stands for a file that nothing else names.
        visibility: who may use a definition, see `visibility.Rule`.
        rewrite: replaces what the grammar does not know, keeping the length and all line ends of the source.
        repair: what to write over a source near its first syntax errors, with the same length and line ends, bolder at
            each turn.
        readings: of a source with conditional compilation that the grammar cannot read at once.
        skips_branches: the grammar reads the first branch of each `#if` only, and says nothing of the others.
        reserved: words that are no names, though the grammar, behind an error or not, takes them for such.
        bare_calls: a call that lacks its semicolon is no error, but a macro's.
        max_indentation_levels: what its grammar can bear; a file with more at once is not parsed. None is any number.
        has_clauses: neighbouring definitions of one name are the clauses of one.
        ends_before_comments: the grammar lets a body take in the comments of the definition after it.
        has_anonymous_types: fields that stand in a function itself belong to a local's type.
        parted_doc_opening: a comment that begins like this may stand one blank line above what it documents.
        name_marker: written before a name that is used as a value (`:name`), no part of it.
        constructors_are_named_like_classes: a method with the name of its class makes instances.
        has_recipes: of a "config" language whose files are commands rather than settings, as of a build.
        family: what the languages whose files use each other's definitions have in common; "" is the id.
        folder_is_scope: files of one folder see each other's definitions without an import.
        imports_bring_all: a plain import of a file brings all its names, as `#include` does.
        links_by_name: files are included as text, and a function that no file keeps to itself is one in all of them,
            declared in some and defined in others.
        keeps_imports: what a file imports cannot be imported from it.
        imports_by_use: an import of a package means those of its files that define a name that the importing file uses.
        renames_exports: a file may export a definition as its default or under another name; facts name these exports.
        passes_imports_on: files of nothing but imports hand on what they import.
        offers: names under which others may use a definition, by its name, its signature, and whether it is in no other
            one but a namespace; None if these alone may be used from elsewhere, under their names.
        cost: how long a byte takes to prepare, compared with one of other languages that have a grammar.
        reflective: calls that take the name of a definition when they run, each with the position of the argument that
            holds it, "-" if they take all names: `getattr:1` with nothing before it, `Reflect.get:1` with this,
            `*.send:0` with anything.
        forwarders: functions that get a name that is written elsewhere, and look it up.
        reflects_members_only: only members can be had by such names.
        reads_members: reads of members of what a file imports (`module.NAME`) are references, too.
        package_word: a line that begins with it says in which package or namespace its file is.
        imports: the module below `languages` whose `resolve_import` finds what its imports lead to, see `imports`.
        liveness: that whose `LIVENESS` says what keeps definitions alive which nothing names, see `liveness`.
    """

    id: str
    name: str
    extensions: tuple[str, ...] = ()
    filenames: tuple[str, ...] = ()
    interpreters: tuple[str, ...] = ()
    grammar: str | None = None
    aliases: tuple[str, ...] = ()
    kind: LanguageKind = "code"
    comments: CommentStyle = "slash"
    lexer: str = ""
    probes: Mapping[str, bytes] = field(default_factory=dict)
    visibility: Rule = public
    rewrite: Callable[[bytes], bytes] | None = None
    repair: Callable[[bytes, Sequence[tuple[int, int]], int], Iterator[tuple[int, bytes]]] | None = None
    reserved: frozenset[str] = frozenset()
    readings: Callable[[bytes], Iterator[Reading]] | None = None
    skips_branches: bool = False
    bare_calls: bool = False
    max_indentation_levels: int | None = None
    has_clauses: bool = False
    ends_before_comments: bool = False
    has_anonymous_types: bool = False
    parted_doc_opening: str = ""
    name_marker: str = ""
    constructors_are_named_like_classes: bool = False
    has_recipes: bool = False
    family: str = ""
    folder_is_scope: bool = False
    imports_bring_all: bool = False
    links_by_name: bool = False
    keeps_imports: bool = False
    imports_by_use: bool = False
    renames_exports: bool = False
    passes_imports_on: bool = False
    offers: Callable[[str, str, bool], tuple[str, ...]] | None = None
    reflective: str = ""
    reflects_members_only: bool = False
    forwarders: frozenset[str] = frozenset()
    reads_members: bool = False
    package_word: str = ""
    imports: str = ""
    liveness: str = ""
    cost: float = 1.0


def words(text: str) -> tuple[str, ...]:
    """The words of a text: a list of many short names is easier to read so."""
    return tuple(text.split())
