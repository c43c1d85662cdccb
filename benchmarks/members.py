"""Whether the members of workspaces are those that the tools of their languages list.

    python benchmarks/members.py FOLDER... [--path BIN] [--json OUT]

FOLDER is a checkout with pnpm-workspace.yaml, go.work, a Cargo.toml or package.json with a workspace; `pnpm list -r`,
`go list -m`, `cargo metadata` or `npm query .workspace` says which members it has, by name and folder. npm lists those
that it has linked, so it is given a copy of the manifests without dependencies, where it links them. BIN is a folder
with programs that are not on the PATH. Nothing is downloaded, and nothing is written to FOLDER. Ends with 1 if any
member differs.
"""

import argparse
import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

from cocosearch_py.catalog.members import workspaces_on_disk
from cocosearch_py.discovery.options import DiscoveryOptions
from cocosearch_py.discovery.walk import discover
from cocosearch_py.model.files import DiscoveredFile

Members = set[tuple[str, str]]  # name, folder


def run(command: list[str], folder: Path, environment: dict[str, str]) -> str:
    return subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, check=True).stdout


def pnpm(folder: Path, environment: dict[str, str]) -> Members:
    listed = json.loads(run(["pnpm", "list", "-r", "--depth", "-1", "--json"], folder, environment))
    return {(one.get("name") or relative(one["path"], folder), relative(one["path"], folder)) for one in listed}


def go(folder: Path, environment: dict[str, str]) -> Members:
    lines = run(["go", "list", "-m", "-f", "{{.Path}}\t{{.Dir}}"], folder, environment).splitlines()
    return {(name, relative(place, folder)) for name, place in (line.split("\t") for line in lines)}


def cargo(folder: Path, environment: dict[str, str]) -> Members:
    listed = json.loads(
        run(["cargo", "metadata", "--no-deps", "--offline", "--format-version", "1"], folder, environment)
    )
    return {(one["name"], relative(str(Path(one["manifest_path"]).parent), folder)) for one in listed["packages"]}


def npm(folder: Path, environment: dict[str, str]) -> Members:
    with tempfile.TemporaryDirectory() as scratch:
        for path in folder.rglob("package.json"):
            if "node_modules" not in path.parts:
                copy = scratch / path.relative_to(folder)
                copy.parent.mkdir(parents=True, exist_ok=True)
                copy.write_text(_without_dependencies(path), encoding="utf-8")
        run(["npm", "install", "--offline", "--ignore-scripts", "--no-audit", "--no-fund"], Path(scratch), environment)
        listed = json.loads(run(["npm", "query", ".workspace"], Path(scratch), environment))
    return {(one["name"], one["location"]) for one in listed}


def _without_dependencies(path: Path) -> str:
    text = path.read_text(encoding="utf-8")
    try:
        manifest = json.loads(text)
    except ValueError:  # made to be wrong, for a test
        return text
    return json.dumps({key: manifest[key] for key in ("name", "version", "workspaces") if key in manifest})


def relative(place: str, folder: Path) -> str:
    found = Path(place).resolve().relative_to(folder.resolve()).as_posix()
    return "" if found == "." else found


TOOLS = {
    "pnpm-workspace.yaml": ("pnpm", pnpm),
    "go.work": ("go", go),
    "Cargo.toml": ("cargo", cargo),
    "package.json": ("npm", npm),
}


def compare(folder: Path, environment: dict[str, str]) -> dict[str, Any]:
    """The members by the tool and by ours; the root, which pnpm lists and we do not, is left out of pnpm's."""
    marker = next(name for name in TOOLS if (folder / name).is_file())
    kind, ask = TOOLS[marker]
    theirs = ask(folder, environment)
    if kind == "pnpm":
        theirs = {one for one in theirs if one[1]}
    paths = {one.path for one in discover(folder.resolve(), DiscoveryOptions()) if isinstance(one, DiscoveredFile)}
    found = {one.kind: one.members for one in workspaces_on_disk(str(folder.resolve()), paths)}
    members = found.get(kind) or found.get("yarn" if kind == "npm" else kind, ())  # which declares them alike
    ours = {(one.name, one.path) for one in members}
    return {
        "kind": kind,
        "members": len(theirs),
        "missing": sorted(theirs - ours)[:10],
        "added": sorted(ours - theirs)[:10],
    }


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folders", type=Path, nargs="+")
    parser.add_argument("--path", action="append", default=[], help="may be repeated")
    parser.add_argument("--json", type=Path, help="write the figures here")
    given = parser.parse_args()
    environment = {**os.environ, "GOPROXY": "off", "GOTOOLCHAIN": "local", "GOFLAGS": "", "CI": "1"}
    environment["PATH"] = os.pathsep.join([*given.path, environment["PATH"]])
    found = {folder.name: compare(folder, environment) for folder in given.folders}
    text = json.dumps(found, indent=1)
    if given.json:
        given.json.write_text(text + "\n", encoding="utf-8")
    sys.stdout.write(text + "\n")
    return any(one["missing"] or one["added"] for one in found.values())


if __name__ == "__main__":
    sys.exit(main())
