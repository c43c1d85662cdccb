"""Explanations of definitions without their bodies."""

import posixpath
import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace

from cocosearch_py.features.navigate.answers import Explained, Explanations, Inner, Relationships
from cocosearch_py.features.navigate.arguments import MAX_EXPLAINED, ExplainSymbolArguments
from cocosearch_py.model.definitions import DefinitionRequest, ExplainedDefinition
from cocosearch_py.model.indexes import IndexRecord
from cocosearch_py.model.search import SearchFilters
from cocosearch_py.model.usages import UsageRequest
from cocosearch_py.navigation.names import read_name
from cocosearch_py.tools.answer import Shrinkable
from cocosearch_py.tools.answers import QUOTED, definition_item
from cocosearch_py.tools.bounds import Bounded
from cocosearch_py.tools.call import Call, Found
from cocosearch_py.tools.members import inside
from cocosearch_py.tools.naming import checked_name, instead
from cocosearch_py.tools.warnings import remarks_on

_MAX_MEMBERS = 30  # of a definition that are shown
_ASYNC = re.compile(r"\b(?:async|suspend)\b")


def explain_symbol(call: Call, asked: ExplainSymbolArguments) -> Shrinkable[Explained, Explanations]:
    """Explain the definitions of a name in each index of the call, in their order.

    Raises:
        ValidationError: the name cannot be one.
    """
    bounded = Bounded()
    limit = bounded.value("limit", asked.limit, 1, MAX_EXPLAINED)
    request = DefinitionRequest(symbol=read_name(checked_name(asked.name)), limit=limit)
    found = call.find()
    request = replace(request, filters=inside(found, asked.member).filters(request.filters))
    items: list[Explained] = []
    total, doubts = 0, dict[str | None, None]()
    for record in found.records:
        page = replace(request, limit=limit - len(items))
        report = call.look(
            found.app,
            record,
            lambda page=page, record=record: found.app.navigation.explain(page, record),  # type: ignore[misc]
        )
        total += report.total
        doubts[report.stale] = None
        for one in report.explained:
            item, doubt = _explained(call, found, record, one)
            items.append(item)
            doubts[doubt] = None
    nearest, reasons = ((), []) if total else instead(found, request, asked.name)
    warnings = (*bounded.notes, *reasons, *remarks_on(call, found, doubts))

    def build(shown: Sequence[Explained]) -> Explanations:
        more = f"{len(shown)} of {total} definitions shown: name one by Class.method or path#name"
        return Explanations(
            symbols=tuple(shown),
            total=total,
            did_you_mean=nearest,
            note=QUOTED if shown else "",
            warnings=(*warnings, more) if len(shown) < total else warnings,
        )

    return Shrinkable(items, build)


def _explained(
    call: Call, found: Found, record: IndexRecord, explained: ExplainedDefinition
) -> tuple[Explained, str | None]:
    """Return a definition with its members and the number of its uses, and why these may be out of date."""
    definition = explained.definition
    members = [member for member in explained.members if not member.function_depth]
    members.sort(key=lambda member: member.visibility != "public")
    graphs = found.app.graphs
    symbol = read_name(f"{definition.path}#{definition.qualified_name}")
    request = UsageRequest(symbol=symbol, kinds=("call",), limit=0)
    calls = call.look(found.app, record, lambda: graphs.find_references(request, record))
    in_tests = graphs.find_references(replace(request, filters=SearchFilters(content=("tests",))), record)
    item = Explained(
        file_path=posixpath.join(record.root_path, definition.path),
        start_line=definition.start_line,
        end_line=definition.end_line,
        body_lines=definition.end_line - definition.start_line + 1,
        kind=definition.kind,
        name=definition.name,
        qualified_name=definition.qualified_name,
        language_id=definition.language_id,
        signature=definition.signature,
        doc_comment=definition.doc,
        visibility=definition.visibility,
        is_async=_ASYNC.search(definition.signature) is not None,
        is_test=definition.is_test,
        is_deprecated=definition.is_deprecated,
        parent=definition.parent,
        callers_count=calls.resolved_count,
        callers_by_name_count=calls.confidences.get("name_only", 0),
        tests_count=in_tests.resolved_count,
        relationships=Relationships(inherits=explained.inherits, inherited_by=explained.heirs),
        children_summary=dict(Counter(member.kind for member in members)),
        children=tuple(Inner(**definition_item(member)) for member in members[:_MAX_MEMBERS]),
        index_name=record.name if len(found.records) > 1 else "",
    )
    return item, calls.stale
