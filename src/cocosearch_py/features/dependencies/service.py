"""Answers about files that import each other: dependencies, impact of changes, graphs, maps."""

from collections.abc import Sequence
from dataclasses import replace

from msgspec import UNSET

from cocosearch_py.errors import NotFoundError, ValidationError
from cocosearch_py.features.dependencies.diagrams import Diagram, DiagramRequest, draw
from cocosearch_py.features.dependencies.tools import (
    MAX_DEPTH,
    MAX_FILES,
    MAX_MAP_TOKENS,
    MAX_NODES,
    MIN_MAP_TOKENS,
    MIN_NODES,
    AffectedFile,
    Dependencies,
    DependenciesArguments,
    Dependency,
    DependencyGraph,
    DependencyGraphArguments,
    FileDependencies,
    FileImpact,
    GraphFormat,
    GraphLevel,
    Impact,
    ImpactArguments,
    Link,
    OutsideImport,
    RepoMapArguments,
    Risk,
)
from cocosearch_py.features.dependencies.walks import Walk, Walked, walk
from cocosearch_py.graph.drawing import dot, mermaid
from cocosearch_py.model.counts import counted
from cocosearch_py.model.definitions import DefinitionRequest
from cocosearch_py.model.graph import Edge, MapRequest, Outside
from cocosearch_py.model.maps import RepoMap
from cocosearch_py.model.paths import is_text
from cocosearch_py.model.search import SearchRequest
from cocosearch_py.navigation.names import read_name
from cocosearch_py.search.unmatched import explain_words_only
from cocosearch_py.tools.answer import Shrinkable
from cocosearch_py.tools.answers import Json
from cocosearch_py.tools.bounds import Bounded, choice
from cocosearch_py.tools.call import Call
from cocosearch_py.tools.files import given_paths, stored_paths
from cocosearch_py.tools.index import Index
from cocosearch_py.tools.maps import MAX_FOCUS, Entry, file_limit, map_answer, short
from cocosearch_py.tools.naming import checked_name
from cocosearch_py.tools.revisions import changed_since

_MAX_DEFINITIONS = 200
_HIGH_RISK, _MEDIUM_RISK = 10, 3  # Number of files that import a file directly.
_MAX_FOCUS_CHARS = 1_000
_FOUND_FILES = 5  # Maximum files that a search adds for a focus that is neither a path nor a name.


def get_dependencies(call: Call, asked: DependenciesArguments) -> Shrinkable[Edge, Dependencies]:
    """List the project files that files import, directly or over several imports.

    Raises:
        NotFoundError: none of the files is indexed.
        ValidationError: no file, too many, or an unknown kind of import.
    """
    paths = given_paths(asked.file, asked.files, MAX_FILES)
    index = Index.of(call, asked.member)
    how = Walk(paths=paths, direction="dependencies", depth=asked.depth, kind=asked.dep_type, limit=asked.limit)
    walked = walk(index, how)

    def build(edges: Sequence[Edge]) -> Dependencies:
        files = tuple(_of_file(path, nodes, walked.request.depth) for path, nodes in walked.trees(edges).items())
        is_one = len(files) == 1 and not walked.report.missing
        return Dependencies(
            **walked.frame(edges),
            file=files[0].file if is_one else "",
            dependencies=files[0].dependencies if is_one else UNSET,
            tree=files[0].tree if is_one else UNSET,
            files=UNSET if is_one else files,
            unresolved=tuple(map(_outside, walked.report.unresolved)),
            external=tuple(map(_outside, walked.report.external)) if asked.include_external else UNSET,
        )

    return Shrinkable(walked.report.edges, build)


def _of_file(path: str, nodes: tuple[Json, ...], depth: int) -> FileDependencies:
    if depth > 1:
        return FileDependencies(file=path, tree=nodes)
    return FileDependencies(file=path, dependencies=tuple(map(_dependency, nodes)))


def _dependency(node: Json) -> Dependency:
    return Dependency(**{"target_file" if name == "file" else name: value for name, value in node.items()})


def _outside(one: Outside) -> OutsideImport:
    return OutsideImport(file=one.source, module=one.module, line=one.line)


def get_impact(call: Call, asked: ImpactArguments) -> Shrinkable[Edge, Impact]:
    """Show the files and tests that a change may reach: those that import a file, directly or indirectly.

    Raises:
        NotFoundError: no file is indexed, defines the name or changed since the commit.
        ValidationError: files are given in more than one way, or in none.
    """
    if sum(map(bool, (asked.file or asked.files, asked.symbol, asked.since_ref))) > 1:
        raise ValidationError("more than one of file, symbol and since_ref is given", hint="pass just one of them")
    index = Index.of(call, asked.member)
    paths = _defining(index, asked.symbol) if asked.symbol else _changed(index, asked.since_ref)
    unchecked = len(paths[MAX_FILES:])
    paths = paths[:MAX_FILES] or given_paths(asked.file, asked.files, MAX_FILES)
    how = Walk(
        paths=paths,
        direction="dependents",
        depth=asked.depth,
        kind=asked.dep_type,
        limit=asked.limit,
        with_tests=asked.include_tests,
    )
    walked = walk(index, how)
    if unchecked:
        advice = f"{counted(unchecked, 'more file')} not checked: pass them as files"
        walked = replace(walked, warnings=(*walked.warnings, advice))
    return Shrinkable(walked.report.edges, lambda edges: _impact(walked, edges))


def _defining(index: Index, symbol: str) -> list[str]:
    """Return absolute paths of the files that define a name.

    Raises:
        NotFoundError: none does.
    """
    name = checked_name(symbol)
    request = DefinitionRequest(symbol=replace(read_name(name), folder=index.member.folder), limit=_MAX_DEFINITIONS)
    report = index.ask(lambda record: index.app.navigation.find_definitions(request, record))
    if not report.definitions:
        raise NotFoundError(f"nothing in the index defines '{name[:100]}'", hint="find_symbol finds similar names")
    return list(dict.fromkeys(index.absolute(one.path) for one in report.definitions))


def _changed(index: Index, since_ref: str | None) -> list[str]:
    """Return absolute paths of the files that changed since a commit; none without a commit.

    Raises:
        NotFoundError: no file changed.
    """
    if not since_ref:
        return []
    folder = index.member.folder
    changed = [path for path in changed_since(index.record, since_ref) if not folder or path.startswith(f"{folder}/")]
    if not changed:
        raise NotFoundError(f"no file changed since '{since_ref[:60]}'", hint="pass an earlier commit")
    return list(dict.fromkeys(map(index.absolute, changed)))


def _impact(walked: Walked, edges: Sequence[Edge]) -> Impact:
    files = tuple(FileImpact(file=path, impact_tree=nodes) for path, nodes in walked.trees(edges).items())
    is_one = len(files) == 1 and not walked.report.missing
    distances: dict[str, int] = {}
    for edge in edges:
        distances.setdefault(edge.source, edge.distance)
    for path in walked.report.files:
        distances.pop(path, None)
    fan_in = max(walked.report.fan_in.values(), default=0)
    return Impact(
        **walked.frame(edges),
        file=files[0].file if is_one else "",
        impact_tree=files[0].impact_tree if is_one else UNSET,
        files=UNSET if is_one else files,
        affected_files=tuple(AffectedFile(file=path, distance=distance) for path, distance in distances.items()),
        tests=tuple(path for path in distances if path in walked.report.tests),
        risk=Risk(
            level="high" if fan_in >= _HIGH_RISK else "medium" if fan_in >= _MEDIUM_RISK else "low", fan_in=fan_in
        ),
    )


def get_dependency_graph(call: Call, asked: DependencyGraphArguments) -> Shrinkable[str, DependencyGraph]:
    """Draw the import graph of files or folders, or the inheritance of types.

    Raises:
        ValidationError: an unknown level or format.
    """
    level: GraphLevel = choice("level", asked.level, GraphLevel)
    format: GraphFormat = choice("format", asked.format, GraphFormat)
    index = Index.of(call, asked.member)
    bounded = Bounded()
    request = DiagramRequest(
        prefix=index.paths(asked.path)[0],
        level=level,
        depth=None if asked.depth is None else bounded.value("depth", asked.depth, 1, MAX_DEPTH),
        limit=bounded.value("max_nodes", asked.max_nodes, MIN_NODES, MAX_NODES),
    )
    diagram = index.read(lambda conn, record: draw(request, record, conn))
    warnings = [*bounded.notes, *index.warnings(diagram)]
    if not diagram.nodes:
        what = "types that inherit from each other" if level == "symbol" else "imports between indexed files"
        warnings.append(f"no {what} were found there")
    return Shrinkable(diagram.nodes, lambda nodes: _graph(index.root, diagram, nodes, format, warnings))


def _graph(
    root: str, diagram: Diagram, nodes: Sequence[str], format: GraphFormat, warnings: Sequence[str]
) -> DependencyGraph:
    """Make the answer from the first nodes of a diagram, and the edges between them."""
    among = set(nodes)
    edges = [edge for edge in diagram.edges if among.issuperset(edge[:2])]
    links = tuple(Link(source=source, target=target, imports=imports) for source, target, imports in edges)
    dropped = diagram.dropped + len(diagram.nodes) - len(nodes)
    advice = f"{dropped} less central nodes are left out; pass a path, level=package or a higher max_nodes"
    return DependencyGraph(
        root=root,
        format=format,
        node_count=len(nodes),
        edge_count=len(edges),
        dropped=dropped,
        graph="" if format == "json" else (mermaid if format == "mermaid" else dot)(nodes, edges),
        nodes=tuple(nodes) if format == "json" else UNSET,
        edges=links if format == "json" else UNSET,
        warnings=(*warnings, advice) if dropped else tuple(warnings),
    )


def get_repo_map(call: Call, asked: RepoMapArguments) -> Shrinkable[Entry, RepoMap]:
    """Show the most important files and definitions of a repository.

    Raises:
        ValidationError: too many entries of a focus, or one that is too long or not text.
    """
    words = [text.strip() for text in asked.focus or () if text.strip()]
    if len(words) > MAX_FOCUS or not all(is_text(text) and len(text) <= _MAX_FOCUS_CHARS for text in words):
        raise ValidationError(
            f"focus has more than {MAX_FOCUS} entries, or an entry that is too long or not text",
            hint="pass fewer or shorter entries",
        )
    index = Index.of(call, asked.member)
    bounded = Bounded()
    tokens = bounded.value("max_tokens", asked.max_tokens, MIN_MAP_TOKENS, MAX_MAP_TOKENS)
    focus, doubts = _focus(index, words)
    request = MapRequest(
        focus=tuple(focus),
        prefix=index.paths(asked.path)[0],
        with_tests=asked.include_tests,
        most_files=file_limit(tokens),
    )
    report = index.ask(lambda record: index.app.graphs.make_map(request, record))
    warnings = [*bounded.notes, *doubts, *index.warnings(report)]
    if report.unknown:
        warnings.append(f"neither a path nor a name in the index: {', '.join(map(short, report.unknown))}")
    if not report.files:
        warnings.append("no definitions were found there")
    return map_answer(index.root, report, warnings)


def _focus(index: Index, words: Sequence[str]) -> tuple[list[str], list[str]]:
    """Return paths and names that a map starts from, and doubts.

    For words that are neither, these are the files that a search finds.
    """
    focus, doubts = list[str](), list[str | None]()
    for text in words:
        if len(text.split()) > 1:
            _, report = index.call.search(index.app, SearchRequest(text, limit=_FOUND_FILES), index.record)
            focus += dict.fromkeys(hit.file_path for hit in report.hits)
            doubts.append(explain_words_only(report))
        else:
            focus.append(stored_paths(index.call, index.record, text)[0] if "/" in text else text)
    return focus, list(dict.fromkeys(filter(None, doubts)))
