"""What CONTRIBUTING tells people to write works as it stands there."""

import json
import os
import re
import subprocess
import sys
from collections.abc import Mapping
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


def example() -> dict[str, str]:
    """Return the files of the example of a tool, by path."""
    text = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
    return dict(re.findall(r"```python (features/\S+)\n(.*?)```", text, re.DOTALL))


def package_with(folder: Path, files: Mapping[str, str]) -> Path:
    """Make a package like ours with the files of one more feature; return the folder to import it from."""
    package = folder / "cocosearch_py"
    package.mkdir()
    for entry in PACKAGE.iterdir():
        if entry.name != "features":
            (package / entry.name).symlink_to(entry)
    (package / "features").mkdir()
    for entry in (PACKAGE / "features").iterdir():
        (package / "features" / entry.name).symlink_to(entry)
    (package / "migrations").symlink_to(ROOT / "migrations")
    for path, text in files.items():
        file = package / path
        file.parent.mkdir(exist_ok=True)
        file.write_text(text, encoding="utf-8")
        (file.parent / "__init__.py").write_text('"""Lines of code."""\n', encoding="utf-8")
    return folder


def test_a_tool_and_its_command_are_two_files(
    tmp_path: Path, app: App, sample_repo: Path, database_url: str, data_folder: Path
) -> None:
    app.index(sample_repo, name="shop")
    assert sorted(example()) == ["features/lines/service.py", "features/lines/tools.py"]
    folder = tmp_path / "site"
    folder.mkdir()
    environment = {
        **os.environ,
        "PYTHONPATH": str(package_with(folder, example())),
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
