"""Outline of a file: the tree of its definitions, and its imports."""

from collections import Counter, defaultdict
from collections.abc import Sequence

from msgspec import UNSET, structs

from cocosearch_py.errors import NotFoundError, SafetyError, ValidationError
from cocosearch_py.features.navigate.answers import Entry, FileOutline, Imported
from cocosearch_py.features.navigate.arguments import MAX_OUTLINE_DEPTH, OutlineFileArguments, OutlinePart
from cocosearch_py.model.code import NotFound
from cocosearch_py.model.definitions import ImportEntry, Outline, OutlineEntry
from cocosearch_py.model.paths import is_text
from cocosearch_py.navigation.outline import select_entries
from cocosearch_py.search.request import build_filters
from cocosearch_py.tools.answer import Shrinkable, tabled
from cocosearch_py.tools.answers import QUOTED, definition_item
from cocosearch_py.tools.bounds import Bounded, choice
from cocosearch_py.tools.call import Call
from cocosearch_py.tools.members import inside
from cocosearch_py.tools.revisions import found_at
from cocosearch_py.tools.warnings import remarks_on

_DEFAULT_PARTS: tuple[OutlinePart, ...] = ("symbols", "imports")
_MAX_PATH_CHARS = 2_000
_SHOWN_CHARS = 200


def outline_file(call: Call, asked: OutlineFileArguments) -> Shrinkable[tuple[OutlineEntry, Entry], FileOutline]:
    """Outline a file of an index.

    Raises:
        ValidationError: the path cannot be one, or a part is unknown.
        NotFoundError, SafetyError: there is no such file, or it may not be read.
    """
    include = _parts(asked)
    bounded = Bounded()
    depth = 1 if asked.shallow else bounded.value("depth", asked.depth, 1, MAX_OUTLINE_DEPTH)
    kinds = set(build_filters(symbol_type=asked.kind).symbol_types)
    found = found_at(call, asked.rev)
    record, place = found.records[0], call.selection.place
    folder = str(place.folders[0]) if place else None
    path = inside(found, asked.member).path(asked.path)
    report = call.look(found.app, record, lambda: found.app.navigation.outline_file(path, folder, record))
    if (outline := report.outline) is None:
        raise _refusal(report.missing)
    entries = [entry for entry in outline.entries if "locals" in include or not entry.function_depth]
    is_wanted = include != {"imports"}
    items = [
        (entry, _entry(entry, with_doc="docs" in include and not asked.shallow))
        for entry in (select_entries(entries, kinds, depth) if is_wanted else ())
    ]
    warnings = [*bounded.notes, *remarks_on(call, found, [report.stale])]
    if is_wanted and not items:
        warnings.append(_why_empty(outline, entries))
    whole = FileOutline(
        path=f"{record.root_path.rstrip('/')}/{outline.path}",
        language=outline.language_id,
        line_count=outline.line_count,
        byte_size=outline.size_bytes,
        parse_status=outline.parse_status,
        parse_error=UNSET if outline.parse_error is None else outline.parse_error,
        symbol_count=len(outline.entries),
        imports=_imports(outline, is_missing=False) if "imports" in include else UNSET,
        unresolved_imports=_imports(outline, is_missing=True) if "imports" in include else UNSET,
    )

    def build(shown: Sequence[tuple[OutlineEntry, Entry]]) -> FileOutline:
        is_cut = len(shown) < len(items)
        last = shown[-1][0].start_line if shown else 0
        more = [f"shown up to line {last}: kind, depth=1 or compact=true make room for more"] if is_cut else []
        flat = [structs.replace(item, name=entry.qualified_name) for entry, item in shown] if asked.compact else []
        listed = tabled(flat) if asked.compact else {"symbols": _tree(shown)}
        note = QUOTED if shown else ""
        return structs.replace(whole, **listed, truncated=is_cut, note=note, warnings=(*warnings, *more))

    return Shrinkable(items, build)


def _parts(asked: OutlineFileArguments) -> set[OutlinePart]:
    if not asked.path.strip() or not is_text(asked.path) or len(asked.path) > _MAX_PATH_CHARS:
        raise ValidationError(
            f"the path is empty, longer than {_MAX_PATH_CHARS:,} characters or not text", hint="give the path of a file"
        )
    return {choice("part", part, OutlinePart) for part in asked.include or _DEFAULT_PARTS}


def _why_empty(outline: Outline, entries: Sequence[OutlineEntry]) -> str:
    """Return why no definition is shown."""
    if entries:
        counts = Counter(entry.kind for entry in entries).most_common()
        return f"no definition of this kind; the file has {', '.join(f'{count:,} {kind}' for kind, count in counts)}"
    if outline.entries:
        return "all definitions in the file are local to functions: add locals to include"
    if outline.parse_status == "no_grammar":
        return f"definitions are not extracted from {outline.language_id}: read_code and search_text show the file"
    return "no definition was found in the file: read_code shows the file"


def _refusal(missing: NotFound | None) -> SafetyError | NotFoundError:
    if missing is None:
        return NotFoundError("the file is no longer on disk", hint="list_files shows the files")
    reason = f"{missing.text[:_SHOWN_CHARS]} {missing.why}"
    if missing.is_refused:
        return SafetyError(reason, hint="index_status with check_files shows why")
    near = ", ".join(missing.near)
    return NotFoundError(
        reason,
        hint=f"did you mean {near}?" if near else "list_files shows which files are indexed",
        details={"path": missing.text[:_SHOWN_CHARS], "near": list(missing.near)},
    )


def _imports(outline: Outline, *, is_missing: bool) -> tuple[Imported, ...]:
    return tuple(map(_imported, (entry for entry in outline.imports if entry.is_missing == is_missing)))


def _imported(entry: ImportEntry) -> Imported:
    return Imported(line=entry.line, module=entry.module, names=entry.names, files=entry.paths)


def _entry(entry: OutlineEntry, *, with_doc: bool) -> Entry:
    return Entry(**definition_item(entry), doc=entry.doc if with_doc else "")


def _tree(items: Sequence[tuple[OutlineEntry, Entry]]) -> tuple[Entry, ...]:
    """Return the outermost of the definitions, each with those inside it; an outer one stands before its inner ones."""
    children: dict[int | None, list[Entry]] = defaultdict(list)
    numbers = {entry.number for entry, _ in items}
    for entry, item in reversed(items):
        inner = children.pop(entry.number, [])
        outer = entry.parent if entry.parent in numbers else None
        children[outer].append(structs.replace(item, children=tuple(reversed(inner))) if inner else item)
    return tuple(reversed(children[None]))
