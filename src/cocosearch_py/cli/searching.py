"""`search` and `analyze`: one question, ranked answers."""

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Annotated

import typer

from cocosearch_py.cli.options import IndexName
from cocosearch_py.cli.session import Session
from cocosearch_py.errors import ValidationError

if TYPE_CHECKING:
    from cocosearch_py.config.settings import Settings
    from cocosearch_py.model.search import SearchRequest

EXIT_NO_RESULTS = 10

_Query = Annotated[
    list[str] | None, typer.Argument(metavar="QUERY", help="What to look for; several words need no quotes.")
]
_Limit = Annotated[
    int | None, typer.Option("-l", "--limit", metavar="N", help="Most results, 1 to 100; 10 by default.")
]
_Language = Annotated[
    str | None, typer.Option("--lang", "--language", metavar="LANG", help="Language, alias or comma list of them.")
]
_MinScore = Annotated[
    float | None, typer.Option("--min-score", metavar="S", help="Least similarity of meaning, 0 to 1; 0 by default.")
]
_Hybrid = Annotated[
    bool | None,
    typer.Option("--hybrid/--no-hybrid", help="Words and meaning, or meaning alone. [default: by the query]"),
]
_SymbolType = Annotated[
    list[str] | None,
    typer.Option("--symbol-type", metavar="KIND", help="function, class, method, ...; may be repeated."),
]
_SymbolName = Annotated[
    str | None, typer.Option("--symbol-name", metavar="GLOB", help="Only symbols so named, such as 'get*'.")
]
_Paths = Annotated[list[str] | None, typer.Option("--path", metavar="GLOB", help="Only these files; may be repeated.")]
_Exclude = Annotated[
    list[str] | None, typer.Option("--exclude", metavar="GLOB", help="None of these files; may be repeated.")
]
_Ignored = "Accepted for CocoSearch's sake; has no effect."
_NoCache = Annotated[bool, typer.Option("--no-cache", help=_Ignored)]
_NoRewrite = Annotated[bool, typer.Option("--no-rewrite", help=_Ignored)]


def search(
    session: Session,
    *,
    query: _Query = None,
    index: IndexName = None,
    limit: _Limit = None,
    lang: _Language = None,
    min_score: _MinScore = None,
    after: Annotated[int | None, typer.Option("-A", "--after-context", metavar="N", help="Lines after a hit.")] = None,
    before: Annotated[
        int | None, typer.Option("-B", "--before-context", metavar="N", help="Lines before a hit.")
    ] = None,
    context: Annotated[
        int | None, typer.Option("-C", "--context", metavar="N", help="Lines before and after a hit.")
    ] = None,
    no_smart: Annotated[
        bool, typer.Option("--no-smart", help="Do not widen a hit to the definition around it.")
    ] = False,
    hybrid: _Hybrid = None,
    symbol_type: _SymbolType = None,
    symbol_name: _SymbolName = None,
    path: _Paths = None,
    exclude: _Exclude = None,
    no_cache: _NoCache = False,
    no_rewrite: _NoRewrite = False,
    interactive: Annotated[bool, typer.Option("-i", "--interactive", help="Ask one query after the other.")] = False,
    files_only: Annotated[
        bool, typer.Option("--files-only", help="Print paths only, one on a line; an array with --json.")
    ] = False,
    explain: Annotated[bool, typer.Option("--explain", help="Show what made each hit rank where it does.")] = False,
    exit_no_results: Annotated[
        bool, typer.Option("--exit-no-results", help=f"Exit with {EXIT_NO_RESULTS} when nothing is found.")
    ] = False,
) -> int:
    """Find code by meaning and by name.

    The query may hold filters: `lang:go`, `path:src/`, `-path:tests/`, `kind:class`, `name:get*`.
    """
    from cocosearch_py.cli.answering import Style, answer
    from cocosearch_py.cli.repl import repl

    loaded = session.load()
    app = session.open(loaded)
    asked = _Asked(lang, symbol_type, symbol_name, path, exclude)
    request = asked.request(_text(query, optional=interactive), loaded.settings, limit, min_score, hybrid)
    request = _with_context(
        request, before, after, context, smart=loaded.settings.search.smart_context and not no_smart
    )
    style = Style(files_only=files_only, explain=explain)
    if interactive:
        return repl(session, app, request, index, style)
    found = answer(session, app, request, index, style)
    return EXIT_NO_RESULTS if exit_no_results and not found else 0


def analyze(
    session: Session,
    *,
    query: _Query = None,
    index: IndexName = None,
    limit: _Limit = None,
    lang: _Language = None,
    min_score: _MinScore = None,
    hybrid: _Hybrid = None,
    symbol_type: _SymbolType = None,
    symbol_name: _SymbolName = None,
    path: _Paths = None,
    exclude: _Exclude = None,
    no_cache: _NoCache = False,
    no_rewrite: _NoRewrite = False,
) -> None:
    """Show how a query is understood and how its answers come about, stage by stage."""
    from cocosearch_py import answers

    loaded = session.load()
    app = session.open(loaded)
    asked = _Asked(lang, symbol_type, symbol_name, path, exclude)
    request = asked.request(_text(query), loaded.settings, limit, min_score, hybrid)
    record, report = app.search(request, index_name=index, folder=session.folder)
    analysis = answers.query_analysis(record, report, use_hybrid=hybrid, min_score=request.min_score)
    if session.json:
        session.emit(analysis)
        return
    from cocosearch_py.cli.views.analysis import show_analysis

    show_analysis(session.console, analysis)


@dataclass(frozen=True, slots=True)
class _Asked:
    """Filters as they were typed."""

    language: str | None
    symbol_types: list[str] | None
    symbol_name: str | None
    paths: list[str] | None
    exclude: list[str] | None

    def request(
        self, query: str, settings: "Settings", limit: int | None, min_score: float | None, hybrid: bool | None
    ) -> "SearchRequest":
        """The request, with what was not typed from the settings."""
        from cocosearch_py.model.search import SearchRequest
        from cocosearch_py.search.request import build_filters

        return SearchRequest(
            query=query,
            limit=settings.search.result_limit if limit is None else limit,
            filters=build_filters(
                language=self.language,
                symbol_type=self.symbol_types,
                symbol_name=self.symbol_name,
                path_globs=self.paths or (),
                exclude_globs=self.exclude or (),
            ),
            use_hybrid=hybrid,
            smart_context=settings.search.smart_context,
            min_score=settings.search.min_score if min_score is None else min_score,
        )


def _with_context(
    request: "SearchRequest", before: int | None, after: int | None, both: int | None, *, smart: bool
) -> "SearchRequest":
    return replace(
        request,
        context_before=both if before is None else before,
        context_after=both if after is None else after,
        smart_context=smart,
    )


def _text(words: list[str] | None, *, optional: bool = False) -> str:
    """The query; bytes that are not text become question marks, as no index holds them."""
    if not words and not optional:
        raise ValidationError("there is no query", hint="say what to look for: cocosearch-py search 'retry policy'")
    return " ".join(words or ()).encode("utf-8", "replace").decode("utf-8")
