"""The documents say what the program is: every command, setting and dependency, and no link leads nowhere."""

import re
import subprocess
import sys
import tomllib
from importlib.metadata import PackageNotFoundError, metadata
from pathlib import Path
from typing import Any

import pytest
import yaml
from packaging.requirements import Requirement

from cocosearch_py.cli.commands import MODULES
from cocosearch_py.config.environment import (
    IGNORED_PREFIX,
    NO_SETTINGS,
    OTHER_NAMES,
    TOLERATED_PREFIXES,
    variable_name,
)
from cocosearch_py.config.keys import setting_rules
from cocosearch_py.config.load import load_settings

ROOT = Path(__file__).parents[2]
DOCS = ROOT / "docs"
PROJECT: dict[str, Any] = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
PAGES = sorted([*ROOT.glob("*.md"), *DOCS.rglob("*.md")])
COMPOSE = ROOT / "docker-compose.yml"


def read(path: Path) -> str:
    return path.read_text(encoding="utf-8")


def dependencies() -> list[Requirement]:
    project = PROJECT["project"]
    extras = [text for extra in project.get("optional-dependencies", {}).values() for text in extra]
    found = [Requirement(text) for text in [*project["dependencies"], *extras]]
    return [one for one in found if one.name != project["name"]]


def licence_rows() -> dict[str, str]:
    """Licence of each package in docs/licences.md, by its name with its extras."""
    return dict(re.findall(r"^\| `([^`]+)` \| ([^|]+) \| [^|]+ \|$", read(DOCS / "licences.md"), re.MULTILINE))


def test_every_dependency_has_its_licence_listed() -> None:
    declared = {one.name + (f"[{','.join(sorted(one.extras))}]" if one.extras else "") for one in dependencies()}
    assert licence_rows().keys() == declared


@pytest.mark.parametrize("one", dependencies(), ids=lambda one: one.name)
def test_the_licence_is_what_the_package_says(one: Requirement) -> None:
    try:
        said = metadata(one.name)
    except PackageNotFoundError:
        pytest.skip("not installed")  # an extra, or a grammar without a wheel for this machine
    listed = next(licence for name, licence in licence_rows().items() if name.split("[")[0] == one.name)
    classifiers = [text for text in said.get_all("Classifier") or [] if text.startswith("License")]
    known = " ".join([said.get("License-Expression") or "", said.get("License") or "", *classifiers]).lower()
    family = re.split(r"[-, ]", listed.lower())[0]
    names = {"mpl": "mozilla public license", "apache": "apache software license"}
    assert family in known or names.get(family, family) in known


def test_every_command_is_in_the_reference() -> None:
    text = read(DOCS / "cli-reference.md")
    assert [name for name in MODULES if f"cocosearch-py {name}" not in text] == []


def test_every_command_is_listed_by_task() -> None:
    rows = "\n".join(line for line in read(DOCS / "commands.md").splitlines() if line.startswith("| `"))
    assert [name for name in MODULES if not all(re.search(rf"\b{word}\b", rows) for word in name.split())] == []


def test_every_setting_and_its_variable_are_documented() -> None:
    text = read(DOCS / "configuration.md")
    assert [key for key in setting_rules() if f"`{key}`<br>`{variable_name(key)}`" not in text] == []


def test_the_configuration_page_is_what_its_generator_writes() -> None:
    script = ROOT / "tools" / "docs" / "configuration.py"
    done = subprocess.run([sys.executable, str(script), "--check"], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")


def test_the_example_files_are_accepted(tmp_path: Path) -> None:
    example, trusted = re.findall(r"```yaml\n(.*?)```", read(DOCS / "configuration.md"), re.DOTALL)
    (tmp_path / "cocosearch-py.yaml").write_text(example, encoding="utf-8")
    loaded = load_settings(start=tmp_path, environ={})
    assert loaded.settings.index_name == "shop"
    assert loaded.warnings == loaded.ignored == ()
    (tmp_path / "cocosearch-py.yaml").write_text(trusted, encoding="utf-8")
    environ = {"OPENAI_API_KEY": "k", "COCOSEARCH_TRUST_FOLDERS": str(tmp_path)}
    loaded = load_settings(start=tmp_path, environ=environ)
    assert loaded.settings.embedding.api_key == "k"
    assert loaded.settings.database.url == "postgresql://me@db.example.org/shop"
    assert loaded.warnings == loaded.ignored == ()


def test_variables_that_the_documents_name_exist() -> None:
    known = {*map(variable_name, setting_rules()), *OTHER_NAMES, *NO_SETTINGS}
    wrong = {
        (page.name, name)
        for page in [*PAGES, COMPOSE]
        for name in re.findall(r"\bCOCOSEARCH_[A-Z_]+\b", read(page))
        if name not in known and not name.startswith((IGNORED_PREFIX, *TOLERATED_PREFIXES))
    }
    assert wrong == set()


def anchors(page: Path) -> set[str]:
    """Anchors of a page's headings, by GitHub's rule."""
    text = re.sub(r"```.*?```", "", read(page), flags=re.DOTALL)
    headings = re.findall(r"^#+ +(.+?)\s*$", text, re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_links_resolve(page: Path) -> None:
    text = re.sub(r"```.*?```", "", read(page), flags=re.DOTALL)
    broken = []
    for link in re.findall(r"(?<!!)\[[^\]]*\]\(([^)\s]+)\)", text):
        if re.match(r"[a-z]+:", link):
            continue
        name, _, anchor = link.partition("#")
        target = (page.parent / name).resolve() if name else page
        if not target.exists() or (anchor and target.suffix == ".md" and anchor not in anchors(target)):
            broken.append(link)
    assert broken == []


def test_the_compose_file_offers_what_the_documents_say() -> None:
    service = yaml.safe_load(read(COMPOSE))["services"]["postgres"]
    given = service["environment"]
    host, port, inside = service["ports"][0].split(":")
    address = f"{given['POSTGRES_USER']}:{given['POSTGRES_PASSWORD']}@localhost:{port}/{given['POSTGRES_DB']}"
    assert (host, inside) == ("127.0.0.1", "5432")  # reachable from this machine only
    named = re.findall(r"COCOSEARCH_DATABASE_URL=(\S+)", read(DOCS / "how-to" / "another-database.md") + read(COMPOSE))
    assert set(named) == {f"postgresql://{address}"}
    assert len(named) == 2
    assert service["image"].startswith("pgvector/pgvector:")
    assert "pg_isready" in " ".join(service["healthcheck"]["test"])


def test_the_compose_file_keeps_its_data_in_a_volume_it_declares() -> None:
    compose = yaml.safe_load(read(COMPOSE))
    (volume,) = compose["services"]["postgres"]["volumes"]
    name, _, folder = volume.partition(":")
    assert name in compose["volumes"]
    assert folder == "/var/lib/postgresql"  # where PostgreSQL 18's image has its data


def layers() -> list[str]:
    (contract,) = [one for one in PROJECT["tool"]["importlinter"]["contracts"] if one["type"] == "layers"]
    return [str(row) for row in contract["layers"]]


def test_the_architecture_draws_the_layers_that_are_checked() -> None:
    drawing = read(ROOT / "ARCHITECTURE.md").split("```")[1].strip().splitlines()
    assert drawing == layers()


def test_a_library_is_forbidden_to_every_part_but_those_that_the_contract_names() -> None:
    contracts = [one for one in PROJECT["tool"]["importlinter"]["contracts"] if one["type"] == "forbidden"]
    assert len(contracts) == 7
    for contract in contracts:
        assert contract["source_modules"] == ["cocosearch_py"]
        allowed = {
            text.split(" -> ")[0].removeprefix("cocosearch_py.").split(".")[0] for text in contract["ignore_imports"]
        }
        assert [part for part in allowed if part not in contract["name"]] == []


def test_the_architecture_tells_of_every_part() -> None:
    text = read(ROOT / "ARCHITECTURE.md").split("## Rooms")[1].split("\n## ")[0]
    package = ROOT / "src" / "cocosearch_py"
    parts = [part.stem if part.is_dir() else part.name for part in package.iterdir()]
    parts = [part for part in parts if not part.startswith("_") and part != "py.typed"]
    assert [part for part in parts if f"`{part}" not in text] == []


def test_the_changelog_knows_this_version() -> None:
    assert PROJECT["project"]["version"] in read(ROOT / "CHANGELOG.md")


def test_decisions_have_numbers_of_their_own_are_short_and_say_their_status() -> None:
    decisions = sorted((DOCS / "adr").glob("*.md"))
    assert len({page.name[:4] for page in decisions}) == len(decisions) > 20
    assert [page.name for page in decisions if len(read(page).splitlines()) > 60] == []
    for page in decisions:
        assert read(page).startswith(f"# {page.name[:4]}. ")
        assert "\nStatus: " in read(page)


def test_decisions_that_the_code_names_exist() -> None:
    numbers = {path.name[:4] for path in (DOCS / "adr").glob("*.md")}
    sources = [path for folder in ("src", "migrations", "benchmarks") for path in (ROOT / folder).rglob("*.py")]
    named = {number for path in sources for number in re.findall(r"docs/adr/(\d{4})", read(path))}
    assert named
    assert named <= numbers


def test_code_names_no_page_that_is_not_there() -> None:
    folders = ("src", "migrations", "benchmarks", "tools")
    sources = [path for folder in folders for path in (ROOT / folder).rglob("*.py")]
    named = {(name, path.name) for path in sources for name in re.findall(r"\bdocs/[\w-]+\.md\b", read(path))}
    assert {pair for pair in named if not (ROOT / pair[0]).exists()} == set()
