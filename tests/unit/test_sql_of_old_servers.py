"""Indexes live in PostgreSQL 16 to 18: no statement needs what only a newer one has."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

import cocosearch_py

SOURCE = Path(cocosearch_py.__file__).parent
MIGRATIONS = Path(__file__).parents[2] / "migrations"
# What releases after 16 brought that a statement of ours could use.
NEWER = re.compile(
    r"""(?xi)
    \b(uuidv[47]|uuid_extract_\w+|array_sort|array_reverse|casefold|crc32c?|gamma|lgamma|reverse\(bytea) \s* \(  # 18
    | \b(json_strip_nulls \s* \( [^)]*,
    | generated \s+ always \s+ as \s* \([^)]*\) \s* virtual | without \s+ overlaps | not \s+ enforced
    | returning \b [^;]* \b (old|new) \. | io_method | like \s+ \w+ \s+ including \s+ not)
    | \b(json_table|json_exists|json_query|json_value|json_serialize|json_scalar|to_bin|to_oct|xmltext) \s* \(   # 17
    | \brandom \s* \( \s* [^)\s]
    | \b(merge_action|on_error \s+ ignore|at \s+ local|transaction_timeout|split_partition|not \s+ matched \s+ by)
    """
)
KNOWN = {  # asked of the server first, or an option of the embedded one, which is of version 18
    ("storage/connection.py", "transaction_timeout"),
    ("storage/server/embedded.py", "io_method"),
}


def found() -> Iterator[tuple[str, str]]:
    for root, name in ((SOURCE, "storage"), (MIGRATIONS, ".")):
        for path in sorted((root / name).rglob("*.py")):
            for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
                if isinstance(node, ast.Constant) and isinstance(node.value, str):
                    for match in NEWER.finditer(node.value):
                        yield path.relative_to(root).as_posix(), match[0]


def test_statements_run_in_the_oldest_server() -> None:
    assert set(found()) == KNOWN


@pytest.mark.parametrize(
    "statement",
    [
        "SELECT uuidv7()",
        "UPDATE files SET path = %s RETURNING path, old.path",
        "CREATE TABLE t (a int, b int GENERATED ALWAYS AS (a * 2) VIRTUAL)",
        "SELECT random(1, 6)",
        "SELECT * FROM JSON_TABLE(%s, '$')",
    ],
)
def test_what_newer_servers_have_is_seen(statement: str) -> None:
    assert NEWER.search(statement)
    assert not NEWER.search("SELECT random(), old.path FROM files WHERE newer(path) RETURNING path")
