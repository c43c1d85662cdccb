"""Takes calls, schemas and answers out of the reference documents of other programs.

Those of indxr and Lexa are read by `indxr_documents.py` and `lexa_documents.py`. The folder of the documents is the
value of REFERENCE_DOCUMENTS; `python -m tests.mcp.documents` writes what is in them to documented.json.

A shape is the name of a type (str, int, float, bool, null), a list of the shape of its items, or an object of shapes.
"""

import ast
import json
import os
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

TABLE = Path(__file__).with_name("documented.json")  # what the documents say, where they are not at hand
FOLDER = os.environ.get("REFERENCE_DOCUMENTS")
CODE_INDEX, MIMIR = "code-index-api.md", "mimir-api.md"
_FENCE = re.compile(r"```(\w*)\n(.*?)```", re.DOTALL)
_NAMES = {"true": True, "false": False, "null": None}
_PLAIN = {"str", "int", "float", "bool"}


def read() -> dict[str, Any]:
    """All that is taken out of the documents, as TABLE has it."""
    from tests.mcp import indxr_documents, lexa_documents

    tools = {"index", "search", "collections"}
    return {
        "code_index": {
            "calls": calls(CODE_INDEX, tools),
            "parameters": parameters(CODE_INDEX, tools),
            "answers": returned(CODE_INDEX),
        },
        "mimir": {"calls": calls(MIMIR, set()), "schemas": schemas(MIMIR), "resources": resources(MIMIR)},
        "indxr": indxr_documents.read(),
        "lexa": lexa_documents.read(),
    }


class Block(NamedTuple):
    """A block of code with the headings that it stands below, the outermost first."""

    headings: tuple[str, ...]
    language: str
    text: str


def blocks(name: str) -> Iterator[Block]:
    """The blocks of code of a document."""
    assert FOLDER
    headings: list[tuple[int, str]] = []
    text = (Path(FOLDER) / name).read_text(encoding="utf-8")
    at = 0
    for fence in _FENCE.finditer(text):
        for level, title in re.findall(r"^(#+) (.+)$", text[at : fence.start()], re.MULTILINE):
            headings = [one for one in headings if one[0] < len(level)] + [(len(level), title.strip())]
        at = fence.end()
        yield Block(tuple(title for _, title in headings), fence[1], fence[2])


def calls(name: str, tools: set[str]) -> list[list[Any]]:
    """Every call of a tool in a document's Python: by name with keywords, or by `call_tool`."""
    found = []
    for block in blocks(name):
        if block.language != "python" or (tree := _parsed(block.text)) is None:
            continue
        for node in ast.walk(tree):
            if not isinstance(node, ast.Call):
                continue
            if isinstance(node.func, ast.Name) and node.func.id in tools:
                found.append([node.func.id, {one.arg or "": _value(one.value) for one in node.keywords}])
            elif isinstance(node.func, ast.Attribute) and node.func.attr == "call_tool":
                tool, arguments = node.args
                found.append([_value(tool), _value(arguments)])
    return found


def returned(name: str) -> dict[str, Any]:
    """The shape of what each tool, or each subcommand of `collections`, returns in Code Index's document."""
    found = {}
    for block in blocks(name):
        if block.language != "python" or not block.text.lstrip().startswith(("{", "[")):
            continue
        tool, last = block.headings[1], block.headings[-1]
        if tool in ("Index Tool", "Search Tool") and last == "Return Value":
            found[tool.split()[0].lower()] = _shape_of_types(block.text)
        elif tool == "Collections Tool":
            found[f"collections {last}"] = _shape_of_types(block.text)
        elif tool == "Error Responses" and last == "Error Responses":
            found["error"] = _shape_of_types(block.text)
    return found


def parameters(name: str, tools: set[str]) -> dict[str, dict[str, str]]:
    """Parameters of each tool of Code Index's document, from its tables: type by name."""
    assert FOLDER
    found: dict[str, dict[str, str]] = {}
    tool, wanted = "", False
    for line in (Path(FOLDER) / name).read_text(encoding="utf-8").splitlines():
        if heading := re.match(r"(##+) (\w+)", line):
            tool = heading[2].lower() if heading[1] == "##" else tool
            wanted = heading[2] in ("Parameters", "Core", "Configuration", "Search") and "Result" not in line
        elif wanted and (row := re.match(r"\| `(\w+)` \| `([^`]+)` \| ", line)) and tool in tools:
            found.setdefault(tool, {})[row[1]] = row[2]
    return found


def schemas(name: str) -> dict[str, dict[str, Any]]:
    """By tool of Mimir's document its input schema, without descriptions, and the shape of its example answer."""
    found: dict[str, dict[str, Any]] = {}
    for block in blocks(name):
        if block.language == "json" and len(block.headings) == 4 and block.headings[1] == "Tools":
            tool = block.headings[2].split()[-1]
            value = json.loads(block.text)
            if block.headings[3] == "Input Schema":
                found.setdefault(tool, {})["input"] = _bare(value)
            elif block.headings[3] == "Response Format":
                found.setdefault(tool, {})["answer"] = shape_of(value)
    return found


def resources(name: str) -> dict[str, Any]:
    """By address, as the headings of a document have it, the shape of the JSON of a resource."""
    return {
        block.headings[-1].split("`")[1]: shape_of(json.loads(block.text))
        for block in blocks(name)
        if block.language == "json" and block.headings[1] == "Resources"
    }


def programs(name: str) -> dict[str, str]:
    """The whole programs of a document, by language."""
    return {block.language: block.text for block in blocks(name) if "Implementation Examples" in block.headings}


def shape_of(value: Any) -> Any:
    """The shape of a JSON value; of an array that of its first item."""
    if isinstance(value, dict):
        return {key: shape_of(one) for key, one in value.items()}
    if isinstance(value, list):
        return [shape_of(one) for one in value[:1]]
    return "null" if value is None else type(value).__name__


def main() -> None:
    """Write TABLE."""
    TABLE.write_text(json.dumps(read(), indent=1, ensure_ascii=False) + "\n", encoding="utf-8")


def _parsed(text: str) -> ast.AST | None:
    flags = ast.PyCF_ALLOW_TOP_LEVEL_AWAIT | ast.PyCF_ONLY_AST
    try:
        tree: ast.AST = compile(text, "document", "exec", flags)
    except SyntaxError:  # signatures without a body
        return None
    return tree


def _value(node: ast.AST) -> Any:
    """A literal, with JSON's names; what is none is a variable of the example."""
    match node:
        case ast.Constant():
            return node.value
        case ast.Name():
            return _NAMES.get(node.id, f"${node.id}")
        case ast.List():
            return [_value(one) for one in node.elts]
        case ast.Dict():
            return {
                _value(key): _value(one) for key, one in zip(node.keys, node.values, strict=True) if key is not None
            }
    return f"${ast.unparse(node)}"


def _shape_of_types(text: str) -> Any:
    def shape(node: ast.AST) -> Any:
        match node:
            case ast.Dict():
                return {_value(key): shape(one) for key, one in zip(node.keys, node.values, strict=True) if key}
            case ast.List():
                return [shape(one) for one in node.elts[:1]]
            case ast.Name() if node.id in _PLAIN:
                return node.id
            case ast.Constant():
                return type(node.value).__name__
            case ast.Subscript() if ast.unparse(node.value) == "List":
                return [shape(node.slice)]
            case ast.Subscript() if ast.unparse(node.value) == "Dict":
                return {}
        raise AssertionError(ast.unparse(node))

    return shape(ast.parse(text.strip(), mode="eval").body)


def _bare(schema: Any) -> Any:
    """A schema without descriptions, and without `required` where it is no list."""
    if not isinstance(schema, dict):
        return schema
    kept = {key: _bare(one) for key, one in schema.items() if key != "description"}
    return {key: one for key, one in kept.items() if key != "required" or isinstance(one, list)}


if __name__ == "__main__":
    main()
