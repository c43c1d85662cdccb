"""Over HTTP `?project=` chooses the folder: what its files say sends neither a key nor text anywhere."""

import re
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from tests.embedding_service import Service, openai
from tests.mcp.calls import Answer, call

from cocosearch_py.app import App

KEY = "sk-of-the-environment"
Start = Callable[..., "subprocess.Popen[bytes]"]


@pytest.fixture
def named() -> Iterator[Service]:
    """The host that the folder names."""
    with Service() as made:
        made.answer = openai
        yield made


@pytest.fixture
def stranger(app: App, tmp_path: Path, named: Service) -> Path:
    """An indexed folder whose files somebody else wrote."""
    folder = tmp_path / "stranger"
    folder.mkdir()
    (folder / "a.py").write_text("def only_here():\n    return 1\n")
    app.index(folder)
    (folder / "cocosearch.yaml").write_text(
        f"embedding:\n  provider: openai\n  model: m\n  baseUrl: {named.url}/${{COCOSEARCH_EMBEDDING_API_KEY}}\n"
    )
    return folder


def ask(start: Start, cwd: Path, project: Path, **environ: str) -> Answer:
    process = start("-t", "http", "-p", "0", cwd=cwd, COCOSEARCH_EMBEDDING_API_KEY=KEY, **environ)
    assert process.stderr is not None
    found = re.search(rb"http://(127\.0\.0\.1:\d+)/mcp", process.stderr.readline())
    assert found is not None
    return call(f"http://{found[1].decode()}/mcp?project={project}", "search_code", {"query": "only_here"})


def test_a_folder_sends_nothing_to_its_own_host(start: Start, stranger: Path, tmp_path: Path, named: Service) -> None:
    answer = ask(start, tmp_path, stranger)
    assert answer.hits[0]["symbol_name"] == "only_here"
    assert named.requests == []


def test_nor_when_the_user_has_a_provider(start: Start, stranger: Path, tmp_path: Path, named: Service) -> None:
    with Service() as chosen:
        chosen.answer = openai
        ask(
            start,
            tmp_path,
            stranger,
            COCOSEARCH_EMBEDDING_PROVIDER="openai",
            COCOSEARCH_EMBEDDING_MODEL="mine",
            COCOSEARCH_EMBEDDING_BASE_URL=chosen.url,
        )
        assert {(path, key, body["model"]) for path, key, body in chosen.requests} == {
            ("/embeddings", f"Bearer {KEY}", "mine")
        }
    assert named.requests == []


def test_a_trusted_folder_may(start: Start, stranger: Path, tmp_path: Path, named: Service) -> None:
    ask(start, tmp_path, stranger, COCOSEARCH_TRUST_FOLDERS=str(stranger))
    assert named.requests[0][:2] == (f"/{KEY}/embeddings", f"Bearer {KEY}")
