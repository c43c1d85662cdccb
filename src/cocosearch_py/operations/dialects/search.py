"""Code Index's `search`: an array of snippets, by falling `adjustedScore`."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated, Any, TypedDict

from cocosearch_py.compat.code_index import failed
from cocosearch_py.errors import ValidationError
from cocosearch_py.model.answers import Bounds, Count, Share
from cocosearch_py.operations.search_code import Arguments as Ours
from cocosearch_py.operations.search_code import Searched, search_code
from cocosearch_py.tools.answers import Json
from cocosearch_py.tools.call import Call
from cocosearch_py.tools.declaration import About, Operation
from cocosearch_py.tools.fitting import fit
from cocosearch_py.tools.sizes import GLOBS, PATHS, QUERY

_RESULTS = 50
_SNIPPET_CHARS = 160
_BOOSTS: Sequence[Mapping[str, Any]] = ({"pattern": "src/", "boost": 1.25}, {"pattern": "test/", "boost": 0.7})
# As folders: these letters anywhere in a path would leave out `.github` and `.gitlab-ci.yml`.
_EXCLUDED = ("**/node_modules/**", "**/.git/**")
_WILDCARDS = "*?[{"


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Arguments:
    """Parameters of Code Index's search. Those that begin with `search_` hold where the others are not given."""

    query: Annotated[str, About("Text to search for"), QUERY]
    workspace: Annotated[str, About("Folder whose index to search"), PATHS] = "."
    min_score: Annotated[float | None, About("Minimum vector similarity"), Bounds(0, 1)] = None
    max_results: Annotated[int | None, About("Results, 50 by default"), Bounds(1)] = None
    search_min_score: Annotated[float | None, About("As min_score"), Bounds(0, 1)] = None
    search_max_results: Annotated[int | None, About("As max_results"), Bounds(1)] = None
    search_snippet_preview_chars: Annotated[int | None, About("Length of a snippet, 160 by default"), Bounds(1)] = None
    search_file_type_weights: Annotated[dict[str, float] | None, About("Factors by extension")] = None
    search_path_boosts: Annotated[list[dict[str, Any]] | None, About("Factors by part of the path")] = None
    search_language_boosts: Annotated[dict[str, float] | None, About("Factors by language")] = None
    search_exclude_patterns: Annotated[list[str] | None, About("Parts of paths to leave out"), GLOBS] = None


class Item(TypedDict):
    """A result; the path is relative to the workspace, `score` is the similarity of meaning."""

    filePath: str
    startLine: Count
    endLine: Count
    type: str
    score: Share
    adjustedScore: Share
    snippet: str
    language: str
    fileSize: Count


def search(call: Call, asked: Arguments) -> Searched:
    """Search indexed code."""
    most = next((one for one in (asked.max_results, asked.search_max_results) if one is not None), _RESULTS)
    least = next((one for one in (asked.min_score, asked.search_min_score) if one is not None), 0.0)
    excluded = asked.search_exclude_patterns
    weights = {
        "ext": asked.search_file_type_weights,
        "path": [_weight(one) for one in (_BOOSTS if asked.search_path_boosts is None else asked.search_path_boosts)],
        "language": asked.search_language_boosts,
    }
    ours = Ours(
        query=asked.query,
        limit=most,
        min_score=least,
        exclude=list(_EXCLUDED) if excluded is None else [anywhere(one) for one in excluded],
        weights={name: one for name, one in weights.items() if one is not None},
        smart_context=False,
    )
    return search_code(call, ours)


def anywhere(pattern: str) -> str:
    """The glob for all paths that hold a text; one with wildcards is a glob already."""
    return pattern if any(one in pattern for one in _WILDCARDS) else f"**{pattern}**"


def _weight(boost: Mapping[str, Any]) -> Json:
    """A factor on paths; it is spelled `boost` in the parameters and `weight` in some of its texts."""
    named = {name: value for name, value in boost.items() if name != "pattern"}
    if not isinstance(boost.get("pattern"), str) or len(named) != 1 or not named.keys() <= {"boost", "weight"}:
        raise ValidationError(
            "wrong search_path_boosts: each needs pattern and boost, and nothing else",
            hint='the form is [{"pattern": "src/", "boost": 1.5}]',
        )
    return {"pattern": anywhere(boost["pattern"]), "weight": next(iter(named.values()))}


def _answer(searched: Searched, asked: Arguments) -> Any:
    chars = asked.search_snippet_preview_chars or _SNIPPET_CHARS
    items: list[Json] = [
        {
            "filePath": hit.file_path,
            "startLine": hit.start_line,
            "endLine": hit.end_line,
            "type": hit.block_type,
            "score": hit.vector_score or 0.0,
            "adjustedScore": hit.score,
            "snippet": hit.content[:chars],
            "language": hit.language_id,
            "fileSize": hit.version.size_bytes if hit.version else 0,
        }
        for _, hit in searched.hits
    ]
    return fit(items, list)


OPERATION = Operation(
    name="search",
    title="Search code",
    arguments=Arguments,
    run=search,
    shape=_answer,
    answer=list[Item],
    about_indexes=True,
    names_folder="workspace",
    failed=failed,
)
