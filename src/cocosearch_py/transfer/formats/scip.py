"""An index in the form of SCIP (https://github.com/sourcegraph/scip): definitions and their places.

Uses are not in it: which definition a use means is worked out when somebody asks (docs/adr/0013).
"""

import re
from collections import Counter
from collections.abc import Iterator, Mapping
from functools import cache
from typing import Any

from google.protobuf import descriptor_pb2, descriptor_pool, message_factory

from cocosearch_py.model.definitions import OutlineEntry
from cocosearch_py.model.indexes import IndexRecord
from cocosearch_py.storage.queries.whole import WholeFile

_PACKAGE = "scip"
_DEFINITION = 1  # of SymbolRole
_UTF8 = 1  # of TextEncoding
_CHARACTERS = 3  # of PositionEncoding: columns count code points
# Of SymbolInformation.Kind.
_KINDS = {
    "class": 7,
    "constant": 8,
    "constructor": 9,
    "enum": 11,
    "field": 15,
    "function": 17,
    "interface": 21,
    "macro": 25,
    "method": 26,
    "module": 29,
    "namespace": 30,
    "object": 33,
    "property": 41,
    "protocol": 42,
    "struct": 49,
    "trait": 53,
    "type": 54,
    "union": 59,
    "variable": 61,
}
_METHODS = frozenset({"function", "method", "constructor", "test", "prototype"})
_TYPES = frozenset({"class", "enum", "interface", "object", "protocol", "struct", "trait", "type", "union", "impl"})
_SPACES = frozenset({"module", "namespace"})
_SIMPLE = re.compile(r"[\w+$-]+", re.ASCII)
# Messages, and of each field that we fill its number, type and whether it repeats; see scip.proto.
_MESSAGES: Mapping[str, Mapping[str, tuple[int, str, bool]]] = {
    "ToolInfo": {"name": (1, "string", False), "version": (2, "string", False)},
    "Metadata": {
        "tool_info": (2, "ToolInfo", False),
        "project_root": (3, "string", False),
        "text_document_encoding": (4, "int32", False),
    },
    "Occurrence": {
        "range": (1, "int32", True),
        "symbol": (2, "string", False),
        "symbol_roles": (3, "int32", False),
        "enclosing_range": (7, "int32", True),
    },
    "SymbolInformation": {
        "symbol": (1, "string", False),
        "documentation": (3, "string", True),
        "kind": (5, "int32", False),
        "display_name": (6, "string", False),
        "enclosing_symbol": (8, "string", False),
    },
    "Document": {
        "relative_path": (1, "string", False),
        "occurrences": (2, "Occurrence", True),
        "symbols": (3, "SymbolInformation", True),
        "language": (4, "string", False),
        "position_encoding": (6, "int32", False),
    },
    "Index": {"metadata": (1, "Metadata", False), "documents": (2, "Document", True)},
}


def make(record: IndexRecord, files: Iterator[WholeFile], _: frozenset[str]) -> Iterator[bytes]:
    """An Index message, a document at a time: the parts of a message written one after the other are the message."""
    messages = _messages()
    metadata = messages["Metadata"](
        tool_info=messages["ToolInfo"](name="cocosearch-py"),
        project_root=f"file:///{record.name.replace(' ', '%20')}",
        text_document_encoding=_UTF8,
    )
    yield _serialized(messages["Index"](metadata=metadata))
    for file in files:
        if file.symbols:
            yield _serialized(messages["Index"](documents=[_document(file, record.name)]))


def _document(file: WholeFile, package: str) -> Any:
    messages = _messages()
    document = messages["Document"](
        relative_path=file.source.path, language=file.source.language_id, position_encoding=_CHARACTERS
    )
    lines = file.text.split("\n")
    named = _names(file, package)
    told = set()
    for one in file.symbols:
        symbol = named[one.number]
        line, column = _place(one, lines)
        last = min(one.end_line, len(lines)) - 1
        document.occurrences.add(
            range=[line, column, column + len(one.name)],
            symbol=symbol,
            symbol_roles=_DEFINITION,
            enclosing_range=[one.start_line - 1, 0, last, len(lines[last])],
        )
        if symbol not in told:  # parts of one class are one symbol
            told.add(symbol)
            document.symbols.add(
                symbol=symbol,
                documentation=[text for text in (one.signature, one.doc) if text],
                kind=_KINDS.get(one.kind, 0),
                display_name=one.name,
                enclosing_symbol="" if one.parent is None else named[one.parent],
            )
    return document


def _place(symbol: OutlineEntry, lines: list[str]) -> tuple[int, int]:
    """Line and column of a definition's name, from 0: where it stands as a word first; else where the text begins."""
    pattern = re.compile(rf"(?<!\w){re.escape(symbol.name)}(?!\w)")
    first = symbol.start_line - 1
    for number in range(first, min(symbol.end_line, len(lines))):
        if match := pattern.search(lines[number]):
            return number, match.start()
    line = lines[first] if first < len(lines) else ""
    return first, len(line) - len(line.lstrip())


def _names(file: WholeFile, package: str) -> dict[int, str]:
    """Symbol of each definition: the file, its owners, itself; functions of one name are told apart by number."""
    *folders, name = file.source.path.split("/")
    scheme = package.replace(" ", "  ")
    head = f"cocosearch . {scheme} . " + "".join(_escaped(part) + "/" for part in (*folders, name))
    named: dict[int, str] = {}
    seen = Counter[tuple[str, str]]()
    for one in file.symbols:
        owner = head if one.parent is None else named[one.parent]
        if one.kind in _METHODS:
            count = seen[owner, one.name]
            seen[owner, one.name] += 1
            named[one.number] = f"{owner}{_escaped(one.name)}({f'+{count}' if count else ''})."
        else:
            suffix = "#" if one.kind in _TYPES else "/" if one.kind in _SPACES else "!" if one.kind == "macro" else "."
            named[one.number] = owner + _escaped(one.name) + suffix
    return named


def _escaped(name: str) -> str:
    return name if _SIMPLE.fullmatch(name) else "`" + name.replace("`", "``") + "`"


@cache
def _messages() -> dict[str, Any]:
    """The classes of the messages, by name."""
    types = descriptor_pb2.FieldDescriptorProto
    file = descriptor_pb2.FileDescriptorProto(name="scip.proto", package=_PACKAGE, syntax="proto3")
    for message, fields in _MESSAGES.items():
        added = file.message_type.add(name=message)
        for name, (number, kind, repeats) in fields.items():
            scalar = {"string": types.TYPE_STRING, "int32": types.TYPE_INT32}.get(kind)
            added.field.add(
                name=name,
                number=number,
                type=types.TYPE_MESSAGE if scalar is None else scalar,
                type_name=f".{_PACKAGE}.{kind}" if scalar is None else None,
                label=types.LABEL_REPEATED if repeats else types.LABEL_OPTIONAL,
            )
    pool = descriptor_pool.DescriptorPool()
    pool.Add(file)
    return {
        name: message_factory.GetMessageClass(pool.FindMessageTypeByName(f"{_PACKAGE}.{name}")) for name in _MESSAGES
    }


def _serialized(message: Any) -> bytes:
    return bytes(message.SerializeToString(deterministic=True))
