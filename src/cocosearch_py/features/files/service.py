"""Answers about the files of an index: the tokens that reading them costs."""

from collections.abc import Sequence

from cocosearch_py.errors import NotFoundError, SafetyError, ValidationError
from cocosearch_py.features.files.tools import EstimateTokensArguments, FileTokens, OneFile, OneSymbol, SeveralFiles
from cocosearch_py.model.code import SourcesReport
from cocosearch_py.model.paths import is_text
from cocosearch_py.tools.answer import Shrinkable
from cocosearch_py.tools.call import Call
from cocosearch_py.tools.index import Index
from cocosearch_py.tools.jsontext import to_json
from cocosearch_py.tools.registry import answer_of
from cocosearch_py.tools.tokens import count_tokens

_MAX_CHARS = 2_000
_SHOWN_CHARS = 200
_WORTH = 2  # a summary is worth its tokens where the file costs so many times as much


def estimate_tokens(
    call: Call, asked: EstimateTokensArguments
) -> OneFile | OneSymbol | Shrinkable[FileTokens, SeveralFiles]:
    """Count the tokens of a file, a definition, or the files of a folder.

    Raises:
        ValidationError: not exactly one of path, directory and glob is given, or a value is not usable.
        NotFoundError, SafetyError: there is no such file or definition, or it may not be read.
    """
    _check(asked)
    index = Index.of(call, asked.member)
    report, is_several = _texts(index, asked)
    if report.missing is not None:
        reason = f"{report.missing.text[:_SHOWN_CHARS]} {report.missing.why}"
        if report.missing.is_refused:
            raise SafetyError(reason, hint="index_status with check_files shows why")
        near = ", ".join(report.missing.near)
        raise NotFoundError(reason, hint=f"did you mean {near}?" if near else "list_files shows the files")
    if not report.files:
        raise NotFoundError("the file is no longer on disk", hint="list_files shows the files")
    if is_several:
        return _several(index, report)
    return _file(index, report, asked.index_name) if asked.symbol is None else _symbol(index, report)


def _check(asked: EstimateTokensArguments) -> None:
    places = [text for text in (asked.path, asked.directory, asked.glob) if text is not None]
    if len(places) != 1 or (asked.symbol is not None and asked.path is None):
        raise ValidationError(
            "give exactly one of path, directory and glob; symbol needs path", hint="pass just one of them"
        )
    if not all(is_text(text) and len(text) <= _MAX_CHARS for text in (*places, asked.symbol or "")):
        raise ValidationError(
            f"a value contains an invalid character or has more than {_MAX_CHARS:,} characters",
            hint="pass a shorter text",
        )


def _texts(index: Index, asked: EstimateTokensArguments) -> tuple[SourcesReport, bool]:
    """Return the texts to count, and whether they are those of a folder or glob."""
    place, navigation = index.call.selection.place, index.app.navigation
    folder = str(place.folders[0]) if place else None
    path, directory, glob = (
        None if text is None else index.member.path(text) for text in (asked.path, asked.directory, asked.glob)
    )
    if path is None:
        return index.ask(lambda record: navigation.texts_below(directory, glob, folder, record)), True
    report = index.ask(lambda record: navigation.text_of_file(path, asked.symbol, folder, record))
    if report.missing is not None and not report.missing.is_refused and asked.symbol is None:
        below = index.ask(lambda record: navigation.texts_below(path, None, folder, record))
        if below.missing is None and below.files:  # The path is a folder.
            return below, True
    return report, False


def _file(index: Index, report: SourcesReport, index_name: str | None) -> OneFile:
    source = report.files[0]
    file = index.absolute(source.path)
    summary = count_tokens(to_json(answer_of(index.call, "summarize", {"path": file, "index_name": index_name})))
    full = count_tokens(source.text)
    if source.definitions and full > _WORTH * summary:
        advice = (
            f"summarize (~{summary} tokens) instead of the whole file (~{full}); read_code reads single definitions"
        )
    else:
        advice = f"read the whole file (~{full} tokens): its summary costs ~{summary}"
    return OneFile(
        root=index.root,
        file=file,
        full_file_tokens=full,
        full_file_lines=source.line_count,
        summary_tokens=summary,
        declaration_count=len(source.definitions),
        recommendation=advice,
        warnings=tuple(index.warnings(report)),
    )


def _symbol(index: Index, report: SourcesReport) -> OneSymbol:
    """Count all definitions that have the name: they are read together."""
    source = report.files[0]
    lines = source.text.split("\n")
    tokens = sum(count_tokens("\n".join(lines[first - 1 : last])) for _, first, last in source.definitions)
    full = count_tokens(source.text)
    saved = max(0, full - tokens)
    return OneSymbol(
        root=index.root,
        file=index.absolute(source.path),
        symbol=source.definitions[0][0],
        symbol_tokens=tokens,
        symbol_lines=sum(last - first + 1 for _, first, last in source.definitions),
        full_file_tokens=full,
        full_file_lines=source.line_count,
        savings=f"read_code saves ~{saved} tokens ({100 * saved // full if full else 0}% reduction)",
        warnings=tuple(index.warnings(report)),
    )


def _several(index: Index, report: SourcesReport) -> Shrinkable[FileTokens, SeveralFiles]:
    items = [FileTokens(file=one.path, tokens=count_tokens(one.text), lines=one.line_count) for one in report.files]
    items.sort(key=lambda item: (-item.tokens, item.file))
    total = sum(item.tokens for item in items)
    is_estimate = len(items) < report.total
    if is_estimate:
        read_bytes = sum(len(source.text.encode()) for source in report.files)
        total = round(total * report.total_bytes / max(1, read_bytes))
    warnings = tuple(index.warnings(report))

    def build(shown: Sequence[FileTokens]) -> SeveralFiles:
        return SeveralFiles(
            root=index.root,
            files=tuple(shown),
            file_count=report.total,
            total_tokens=total,
            total_lines=report.total_lines,
            is_estimate=is_estimate,
            truncated=len(shown) < report.total,
            warnings=warnings,
        )

    return Shrinkable(items, build)
