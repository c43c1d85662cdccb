"""Members of workspaces: as each tool defines them, and as cargo itself lists them."""

import json
import shutil
import subprocess
from pathlib import Path

import pytest

from cocosearch_py.catalog.members import workspaces_on_disk
from cocosearch_py.catalog.workspaces import Workspace, _folders, find_workspaces

POM = '<project xmlns="http://maven.apache.org/POM/4.0.0"><artifactId>{}</artifactId>{}</project>'
CRATE = '[package]\nname = "{}"\nversion = "0.1.0"\nedition = "2021"\n'


def find(files: dict[str, str]) -> list[Workspace]:
    return find_workspaces(files.keys(), files.get)


def members(files: dict[str, str]) -> tuple[str, dict[str, str]]:
    (found,) = find(files)
    return found.kind, {one.path: one.name for one in found.members}


def crates(*folders: str) -> dict[str, str]:
    files = {f"{folder}/Cargo.toml": CRATE.format(folder.rpartition("/")[2]) for folder in folders}
    return files | {f"{folder}/src/lib.rs": "" for folder in folders}


CARGO = {
    **crates("crates/a", "crates/b", "crates/old", "beside", "apart"),
    "Cargo.toml": CRATE.format("whole")
    + '[workspace]\nmembers = ["crates/*"]\nexclude = ["crates/old"]\n[dependencies]\nbeside = { path = "beside" }\n',
    "src/lib.rs": "",
}


def test_cargo() -> None:
    expected = {"": "whole", "crates/a": "a", "crates/b": "b", "beside": "beside"}
    assert members(CARGO) == ("cargo", expected)


@pytest.mark.skipif(shutil.which("cargo") is None, reason="cargo is not installed")
def test_cargo_lists_the_same(tmp_path: Path) -> None:
    for name, text in CARGO.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text)
    command = ["cargo", "metadata", "--no-deps", "--offline", "--format-version", "1"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, check=False)
    if done.returncode:
        pytest.skip("cargo does not work here")
    assert {one["name"] for one in json.loads(done.stdout)["packages"]} == set(members(CARGO)[1].values())


@pytest.mark.skipif(shutil.which("npm") is None, reason="npm is not installed")
def test_npm_lists_the_same(tmp_path: Path) -> None:
    files = {
        "package.json": '{"name": "root", "version": "1.0.0", "workspaces": ["packages/*", "tools/c", "!packages/no"]}'
    }
    for folder in ("packages/a", "packages/b", "packages/no", "packages/a/inner", "tools/c", "tools/d"):
        name = folder.replace("/", "-")
        files[f"{folder}/package.json"] = f'{{"name": "@x/{name}", "version": "1.0.0"}}'
    for name, text in files.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text)
    quiet = ["--offline", "--ignore-scripts", "--no-audit", "--no-fund"]
    subprocess.run(["npm", "install", *quiet], cwd=tmp_path, capture_output=True, check=False)
    done = subprocess.run(["npm", "query", ".workspace"], cwd=tmp_path, capture_output=True, check=False)
    if done.returncode:
        pytest.skip("npm does not work here")
    assert {one["location"]: one["name"] for one in json.loads(done.stdout)} == members(files)[1]


def test_npm_yarn_and_pnpm() -> None:
    files = {
        "package.json": '{"workspaces": ["packages/*", "./tools/**", "!tools/old"]}',
        "packages/a/package.json": '{"name": "@x/a"}',
        "packages/a/deep/package.json": '{"name": "no"}',
        "packages/none/index.js": "",
        "tools/b/c/package.json": "{}",
        "tools/old/package.json": "{}",
    }
    expected = {"packages/a": "@x/a", "tools/b/c": "c"}
    assert members(files) == ("npm", expected)
    assert members({**files, "yarn.lock": ""}) == ("yarn", expected)
    named = {**files, "package.json": '{"workspaces": {"packages": ["packages/{a,b}"]}}'}
    assert members(named) == ("npm", {"packages/a": "@x/a"})
    pnpm = {**files, "pnpm-workspace.yaml": "packages:\n  - tools/*/c\n"}
    assert members(pnpm) == ("pnpm", {"tools/b/c": "c"})


def test_go() -> None:
    files = {
        "go.work": "go 1.22\n\nuse (\n\t./a // first\n\t./b/c\n\t./gone\n)\nuse ../outside\nuse .\n",
        "go.mod": "module example.org/top\n",
        "a/go.mod": "module example.org/a\n",
        "b/c/go.mod": 'module "example.org/c"\n',
    }
    assert members(files) == ("go", {"": "example.org/top", "a": "example.org/a", "b/c": "example.org/c"})


def test_uv() -> None:
    files = {
        "pyproject.toml": '[project]\nname = "top"\n[tool.uv.workspace]\nmembers = ["libs/*"]\nexclude = ["libs/no"]\n',
        "libs/a/pyproject.toml": '[project]\nname = "lib-a"\n',
        "libs/no/pyproject.toml": "",
    }
    assert members(files) == ("uv", {"": "top", "libs/a": "lib-a"})


def test_maven() -> None:
    files = {
        "pom.xml": POM.format("top", "<modules><module>a</module><module>../x</module></modules>"),
        "a/pom.xml": POM.format(
            "mod-a", "<profiles><profile><modules><module>b</module></modules></profile></profiles>"
        ),
        "a/b/pom.xml": POM.format("mod-b", "<modules><module>..</module></modules>"),
    }
    assert members(files) == ("maven", {"": "top", "a": "mod-a", "a/b": "mod-b"})


def test_gradle() -> None:
    text = """
        // include("no")
        include("app", ":lib:core")
        include ':web'
        project(":web").projectDir = file("clients/web")
    """
    expected = {"app": ":app", "lib/core": ":lib:core", "clients/web": ":web"}
    assert members({"settings.gradle.kts": text}) == members({"settings.gradle": text}) == ("gradle", expected)


def test_bazel() -> None:
    files = {"MODULE.bazel": "", "BUILD": "", "lib/BUILD.bazel": "", "lib/deep/BUILD": "", "other/x.cc": ""}
    assert members(files) == ("bazel", {"": "//", "lib": "//lib", "lib/deep": "//lib/deep"})
    assert find({"lib/BUILD": ""}) == []
    assert [one.kind for one in find({**files, **CARGO})] == ["cargo", "bazel"]


def test_folders_of_an_editor() -> None:
    text = """{
        // what is open
        "folders": [{"path": "app", "name": "The app"}, {"path": "./lib/"}, {"path": "../away"}, {"path": "gone"},
            {"uri": "vscode-remote://x"}, 7,],
        "settings": {"a": "// no comment, ]", /* nor this */ "b": 1,},
    }"""
    files = {"all.code-workspace": text, "app/a.py": "", "lib/b.py": ""}
    assert members(files) == ("vscode", {"app": "The app", "lib": "lib"})
    assert find({"all.code-workspace": "[]", "app/a.py": ""}) == []
    assert find({"all.code-workspace": "{", "app/a.py": ""}) == []
    assert members({**files, "a.code-workspace": '{"folders": [{"path": "gone"}]}'})[1] == {
        "app": "The app",
        "lib": "lib",
    }


def test_only_files_of_a_folder_make_it_a_workspace(tmp_path: Path) -> None:
    (tmp_path / "real.code-workspace").write_text('{"folders": [{"path": "app"}]}')
    (tmp_path / "a.code-workspace").symlink_to("real.code-workspace")
    (tmp_path / "WORKSPACE").mkdir()
    assert [one.kind for one in workspaces_on_disk(str(tmp_path), {"app/a.py", "app/BUILD"})] == ["vscode"]


def test_the_largest_comes_first() -> None:
    files = {**CARGO, "package.json": '{"workspaces": ["web"]}', "web/package.json": "{}"}
    assert [one.kind for one in find(files)] == ["cargo", "npm"]


@pytest.mark.parametrize(
    ("glob", "folder", "fits"),
    [
        ("a/*", "a/b", True),
        ("a/*", "a/b/c", False),
        ("a/*", "a/.b", False),
        ("a/.*", "a/.b", True),
        ("**", "a/b/c", True),
        ("a/**", "a", True),
        ("a/**/c", "a/c", True),
        ("a/**/c", "a/b/b/c", True),
        ("./a/", "a", True),
        ("{a,b}/[cd]?", "b/dx", True),
        ("**/a" * 90, "a/" * 200 + "b", False),
        ("*a" * 100, "a" * 200 + "b", False),
    ],
)
def test_globs_of_folders(glob: str, folder: str, fits: bool) -> None:
    assert _folders({f"{folder}/m"}, "m", [glob]) == ({folder} if fits else set())


def test_what_would_take_long() -> None:
    long = 200_000
    files = {
        "settings.gradle": "/*" * long + "include" + " " * long + "include '" * long,
        "go.work": "use (\n" * long,
        "package.json": json.dumps({"workspaces": ["{a,b}" * 50, "{" * 300, "{" + "," * 290 + "}"]}),
    }
    assert find(files) == []


@pytest.mark.parametrize(
    "files",
    [
        {},
        {"package.json": "[1", "Cargo.toml": "[", "pyproject.toml": "]", "pom.xml": "<", "go.work": "use", "x/y": ""},
        {"package.json": '{"workspaces": 7}', "pnpm-workspace.yaml": "- &a [*a]", "Cargo.toml": "workspace = 3"},
        {"package.json": "[" * 100_000, "pnpm-workspace.yaml": "[" * 5_000},
        {"package.json": '{"workspaces": ["../*", "{", "[", "**/**/**"]}', "go.work": "use /etc\nuse ../.."},
        {"pom.xml": '<!DOCTYPE p [<!ENTITY a "aa">]><project><artifactId>&a;</artifactId></project>'},
    ],
)
def test_what_is_no_workspace(files: dict[str, str]) -> None:
    assert find(files) == []
