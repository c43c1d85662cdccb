"""The members of a workspace, as its manifests tell. Pure.

Cargo, npm, pnpm, Yarn, Go, uv, Maven, Gradle, the packages of Bazel, and the folders of a .code-workspace.
"""

import json
import posixpath
import re
import tomllib
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase
from typing import Any, Literal, NamedTuple
from xml.etree import ElementTree

import yaml

Read = Callable[[str], str | None]  # text of a manifest by path, None where there is none that can be shown
_MAVEN = "{http://maven.apache.org/POM/4.0.0}"
_INCLUDE = re.compile(r"\binclude\b ?\(?((?: ?,? ?[\"'][^\"']+[\"'])+)")
_QUOTED = re.compile(r"[\"']([^\"'\n]+)[\"']")
_MOVED = re.compile(
    r"project\(\s*[\"']([^\"']+)[\"']\s*\)\.projectDir\s*=\s*(?:new File|file)\([^\"'\n]*[\"']([^\"']+)"
)
_USE = re.compile(r"^use[ \t]+(?:\(([^()]*)\)|(\S+))", re.MULTILINE)
_BRACES = re.compile(r"\{([^{}]*)\}")
_STRING = r'("(?:[^"\\]|\\.)*")'
_COMMENTS = re.compile(_STRING + r"|//[^\n]*|/\*(?:[^*]|\*(?!/))*\*/")
_LAST_COMMA = re.compile(_STRING + r"|,\s*([\]}])")
_BAZEL_ROOTS = ("MODULE.bazel", "WORKSPACE.bazel", "WORKSPACE")
_CODE = ".code-workspace"
WorkspaceKind = Literal["cargo", "npm", "pnpm", "yarn", "go", "uv", "maven", "gradle", "bazel", "vscode", "single"]
_LOOSE = frozenset({"bazel", "vscode"})  # kinds whose members are parts of projects, or what somebody has open
_MOST_MODULES = 10_000
_MOST_PATTERNS, _MOST_CHARS, _MOST_BRACES = 1_000, 300, 3


class Member(NamedTuple):
    """A project inside a workspace; `path` is relative to the root, "" for the root itself."""

    name: str
    path: str


@dataclass(frozen=True, slots=True)
class Workspace:
    """Members by path; `kind` is cargo, npm, pnpm, yarn, go, uv, maven, gradle, bazel or vscode."""

    kind: WorkspaceKind
    members: tuple[Member, ...]


def defines_workspace(name: str) -> bool:
    """Whether a file of the root makes it a workspace by being there; others are asked for by their names."""
    return name in _BAZEL_ROOTS or name.endswith(_CODE)


def find_workspaces(paths: Collection[str], read: Read) -> list[Workspace]:
    """All workspaces whose root is the root of these files, the one with most members first."""
    found = [
        one
        for kind in (_cargo, _node, _go, _uv, _maven, _gradle, _bazel, _code)
        if (one := kind(paths, read)) is not None
    ]
    found = [Workspace(one.kind, tuple(sorted(set(one.members), key=lambda member: member.path))) for one in found]
    return sorted((one for one in found if one.members), key=lambda one: (one.kind in _LOOSE, -len(one.members)))


def _cargo(paths: Collection[str], read: Read) -> Workspace | None:
    root = _toml(read("Cargo.toml"))
    workspace = root.get("workspace")
    if not isinstance(workspace, dict):
        return None
    excluded = [text.rstrip("/") for text in _texts(workspace.get("exclude"))]
    folders = {""} if "package" in root else set()
    folders |= _folders(paths, "Cargo.toml", _texts(workspace.get("members")))
    manifests: dict[str, dict[str, Any]] = {}
    waiting = sorted(folders)
    while waiting:  # what a member depends on by its path is one as well
        folder = waiting.pop()
        manifest = manifests[folder] = _toml(read(posixpath.join(folder, "Cargo.toml")))
        for path in _path_dependencies(manifest):
            meant = _normal(posixpath.join(folder, path))
            if meant is not None and meant not in manifests and posixpath.join(meant, "Cargo.toml") in paths:
                waiting.append(meant)
    return Workspace(
        "cargo",
        tuple(
            Member(_name(manifest.get("package"), folder), folder)
            for folder, manifest in manifests.items()
            if not any(folder == one or folder.startswith(one + "/") for one in excluded)
        ),
    )


def _path_dependencies(manifest: Mapping[str, Any]) -> Iterator[str]:
    targets = manifest.get("target")
    tables = [manifest, *(targets.values() if isinstance(targets, dict) else ())]
    for table in (one for one in tables if isinstance(one, dict)):
        for name in ("dependencies", "dev-dependencies", "build-dependencies"):
            found = table.get(name)
            for one in found.values() if isinstance(found, dict) else ():
                if isinstance(one, dict) and isinstance(one.get("path"), str):
                    yield one["path"]


def _node(paths: Collection[str], read: Read) -> Workspace | None:
    root = _json(read("package.json"))
    named = root.get("workspaces")
    patterns = _texts(named.get("packages") if isinstance(named, dict) else named)
    is_yarn = read("yarn.lock") is not None or str(root.get("packageManager")).startswith("yarn@")
    kind: WorkspaceKind = "yarn" if is_yarn else "npm"
    pnpm = read("pnpm-workspace.yaml")
    if pnpm is not None:
        loaded = _yaml(pnpm)
        kind, patterns = "pnpm", _texts(loaded.get("packages"))
    if not patterns:
        return None
    folders = _folders(paths, "package.json", patterns) - {""}
    return Workspace(
        kind, tuple(Member(_name(_json(read(posixpath.join(one, "package.json"))), one), one) for one in folders)
    )


def _go(_: Collection[str], read: Read) -> Workspace | None:
    text = re.sub(r"//[^\n]*", "", read("go.work") or "")
    uses = [word.strip('"`') for found in _USE.findall(text) for word in " ".join(found).split()]
    members = []
    for folder in filter(lambda one: one is not None, map(_normal, uses)):
        manifest = read(posixpath.join(folder or "", "go.mod"))
        if manifest is not None:
            module = re.search(r"^module\s+[\"`]?([^\s\"`]+)", manifest, re.MULTILINE)
            members.append(Member(module[1] if module else folder or "", folder or ""))
    return Workspace("go", tuple(members)) if members else None


def _uv(paths: Collection[str], read: Read) -> Workspace | None:
    root = _toml(read("pyproject.toml"))
    workspace: Any = root
    for name in ("tool", "uv", "workspace"):
        workspace = workspace.get(name) if isinstance(workspace, dict) else None
    if not isinstance(workspace, dict):
        return None
    folders = _folders(paths, "pyproject.toml", _texts(workspace.get("members")))
    folders -= _folders(paths, "pyproject.toml", _texts(workspace.get("exclude")))
    found = {folder: _toml(read(posixpath.join(folder, "pyproject.toml"))) for folder in {"", *folders}}
    return Workspace("uv", tuple(Member(_name(one.get("project"), path), path) for path, one in found.items()))


def _maven(_: Collection[str], read: Read) -> Workspace | None:
    members: dict[str, Member] = {}
    waiting = [""]
    while waiting and len(members) < _MOST_MODULES:
        folder = waiting.pop()
        pom = _xml(read(posixpath.join(folder, "pom.xml")))
        if pom is None or folder in members:
            continue
        space = _MAVEN if pom.tag.startswith(_MAVEN) else ""
        members[folder] = Member((pom.findtext(f"{space}artifactId") or folder).strip(), folder)
        for module in pom.iter(f"{space}module"):  # those of profiles as well
            if (meant := _normal(posixpath.join(folder, (module.text or "").strip()))) is not None:
                waiting.append(posixpath.dirname(meant) if meant.endswith(".xml") else meant)
    return Workspace("maven", tuple(members.values())) if len(members) > 1 else None


def _gradle(_: Collection[str], read: Read) -> Workspace | None:
    text = read("settings.gradle.kts") or read("settings.gradle")
    if text is None:
        return None
    text = " ".join(_uncommented(text).split())
    moved = {name.strip(":"): folder for name, folder in _MOVED.findall(text)}
    names = [name.strip(":") for found in _INCLUDE.findall(text) for name in _QUOTED.findall(found)]
    members = []
    for name in names:
        folder = _normal(moved.get(name, name.replace(":", "/")))
        if folder:
            members.append(Member(f":{name}", folder))
    return Workspace("gradle", tuple(members)) if members else None


def _bazel(paths: Collection[str], _: Read) -> Workspace | None:
    """Every folder with a BUILD file is a package."""
    if not any(name in paths for name in _BAZEL_ROOTS):
        return None
    folders = {posixpath.dirname(path) for path in paths if posixpath.basename(path) in ("BUILD", "BUILD.bazel")}
    return Workspace("bazel", tuple(Member(f"//{folder}", folder) for folder in folders))


def _code(paths: Collection[str], read: Read) -> Workspace | None:
    """The folders of an editor's workspace file in the root, of several the first by name that has some."""
    files = sorted(path for path in paths if "/" not in path and path.endswith(_CODE))
    found = (_opened(_json(_plain_json(read(file) or "")).get("folders"), paths) for file in files)
    return next((Workspace("vscode", members) for members in found if members), None)


def _opened(folders: Any, paths: Collection[str]) -> tuple[Member, ...]:
    """The folders of an editor's workspace that hold some of the files."""
    members = []
    for one in folders if isinstance(folders, list) else ():
        path = one.get("path") if isinstance(one, dict) else None
        folder = _normal(path) if isinstance(path, str) else None
        if folder is not None and any(other.startswith(f"{folder}/" if folder else "") for other in paths):
            members.append(Member(_name(one, folder) or folder, folder))
    return tuple(members)


def _plain_json(text: str) -> str:
    """JSON of a text that may have comments, and commas after the last item."""
    bare = _COMMENTS.sub(lambda found: found[1] or " ", text)
    return _LAST_COMMA.sub(lambda found: found[1] or found[2], bare)


def _uncommented(text: str) -> str:
    """Remove comments in one walk: a pattern takes long where many are not closed."""
    lines = "\n".join(line.partition("//")[0] for line in text.split("\n"))
    first, *rest = lines.split("/*")
    return first + "".join(part.partition("*/")[2] for part in rest)


def _folders(paths: Collection[str], manifest: str, patterns: Sequence[str]) -> set[str]:
    """Folders with a manifest that match the patterns; those after a `!` are taken out."""
    known = {posixpath.dirname(path) for path in paths if posixpath.basename(path) == manifest}
    found: set[str] = set()
    for text in patterns[:_MOST_PATTERNS]:
        globs = [_parts(one) for one in _alternatives(text[:_MOST_CHARS].removeprefix("!"))]
        matching = {folder for folder in known if any(_matches(_parts(folder), glob) for glob in globs)}
        found = found - matching if text.startswith("!") else found | matching
    return found


def _alternatives(glob: str) -> list[str]:
    """The globs that braces stand for: `{a,b}/*` is `a/*` and `b/*`."""
    found = _BRACES.search(glob)
    if found is None:
        return [glob]
    options = [glob[: found.start()] + part + glob[found.end() :] for part in found[1].split(",")]
    if len(options) > 1 and glob.count("{") > _MOST_BRACES:
        return options
    return [one for option in options for one in _alternatives(option)]


def _parts(path: str) -> list[str]:
    return [part for part in path.split("/") if part not in ("", ".")]


def _matches(path: Sequence[str], glob: Sequence[str]) -> bool:
    """Whether a folder matches a glob, both in parts; `**` is any number of folders, `*` none that begins with a dot.

    All places of the glob that the path may have come to are kept at once: no glob takes long.
    """

    def opened(places: set[int]) -> set[int]:
        for place in sorted(places):
            while place < len(glob) and glob[place] == "**":
                place += 1  # noqa: PLW2901  # it may stand for no folder
                places.add(place)
        return places

    places = opened({0})
    for part in path:
        following = set()
        for place in places:
            if place < len(glob) and glob[place] == "**":
                following.add(place)
            elif place < len(glob) and part.startswith(".") <= glob[place].startswith("."):
                following |= {place + 1} if fnmatchcase(part, glob[place]) else set()
        places = opened(following)
    return len(glob) in places


def _normal(path: str) -> str | None:
    """A path relative to the root, "" for itself; None when it is outside."""
    normal = posixpath.normpath(path.replace("\\", "/")) if path else "."
    if normal.startswith(("../", "/")) or normal == "..":
        return None
    return "" if normal == "." else normal


def _texts(value: Any) -> list[str]:
    return [one for one in value if isinstance(one, str)] if isinstance(value, list) else []


def _name(table: Any, folder: str) -> str:
    name = table.get("name") if isinstance(table, dict) else None
    return name if isinstance(name, str) and name else posixpath.basename(folder)


def _toml(text: str | None) -> dict[str, Any]:
    try:
        return tomllib.loads(text or "")
    except (ValueError, RecursionError):
        return {}


def _json(text: str | None) -> dict[str, Any]:
    try:
        found = json.loads(text or "{}")
    except (ValueError, RecursionError):
        return {}
    return found if isinstance(found, dict) else {}


def _yaml(text: str) -> dict[str, Any]:
    try:
        found = yaml.safe_load(text)
    except (yaml.YAMLError, ValueError, RecursionError):
        return {}
    return found if isinstance(found, dict) else {}


def _xml(text: str | None) -> ElementTree.Element | None:
    """The root of a document; None for one with a DTD, whose entities can grow without end."""
    if text is None or "<!DOCTYPE" in text or "<!ENTITY" in text:
        return None
    try:
        return ElementTree.fromstring(text)
    except (ElementTree.ParseError, ValueError, RecursionError):
        return None
