"""What CONTRIBUTING tells people to write works as it stands there."""

import json
import os
import re
import subprocess
import sys
from pathlib import Path

from cocosearch_py.app import App

ROOT = Path(__file__).parents[2]
PACKAGE = ROOT / "src" / "cocosearch_py"
ASK = """
import asyncio, json
from fastmcp import Client
from cocosearch_py.mcp.server import create_server
from cocosearch_py.server.options import ServerOptions

def no_engine(_): raise AssertionError

async def go():
    server, _ = create_server(no_engine, ServerOptions(structured_content=True))
    async with Client(server) as client:
        tool = next(tool for tool in await client.list_tools() if tool.name == "count_lines")
        print(json.dumps([tool.description, list(tool.input_schema["properties"]), tool.output_schema]))

asyncio.run(go())
"""


def example() -> tuple[str, str]:
    """Where the example of a tool goes, and its text."""
    text = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
    ((path, code),) = re.findall(r"```python (operations/\S+)\n(.*?)```", text, re.DOTALL)
    return path, code


def package_with(folder: Path, path: str, text: str) -> Path:
    """A package as ours, with one file more; returns the folder to import it from."""
    package = folder / "cocosearch_py"
    package.mkdir()
    for entry in PACKAGE.iterdir():
        if entry.name != "operations":
            (package / entry.name).symlink_to(entry)
    (package / "operations").mkdir()
    for entry in (PACKAGE / "operations").iterdir():
        (package / "operations" / entry.name).symlink_to(entry)
    (package / "migrations").symlink_to(ROOT / "migrations")
    (package / path).write_text(text, encoding="utf-8")
    return folder


def test_a_tool_and_its_command_are_one_file(
    tmp_path: Path, app: App, sample_repo: Path, database_url: str, data_folder: Path
) -> None:
    app.index(sample_repo, name="shop")
    folder = tmp_path / "site"
    folder.mkdir()
    environment = {
        **os.environ,
        "PYTHONPATH": str(package_with(folder, *example())),
        "COCOSEARCH_DATABASE_URL": database_url,
        "COCOSEARCH_DATA_DIR": str(data_folder),
    }

    def run(*arguments: str) -> str:
        done = subprocess.run(
            [sys.executable, *arguments], cwd=sample_repo, env=environment, capture_output=True, text=True, check=False
        )
        assert done.returncode == 0, done.stderr
        return done.stdout

    counted = json.loads(run("-m", "cocosearch_py", "lines", "--least", "15"))
    assert "python" in {item["language"] for item in counted}
    assert "markdown" not in {item["language"] for item in counted}
    assert all(item["lines"] >= 15 for item in counted)
    assert "language" in run("-m", "cocosearch_py", "--pretty", "lines")
    description, parameters, schema = json.loads(run("-c", ASK))
    assert description == "Count the lines of code in an index, by language."
    assert parameters == ["index_name", "least"]
    assert schema["properties"]["result"]["items"]["required"] == ["language", "lines"]
