"""What kind of content a file has, as far as its path and its own words tell: vendored, generated, lock file, ...

The names are those that package managers and code generators use. A folder whose name has other meanings too counts
only with evidence. Reads no file; what a repository says of itself is read by `attributes`.
"""

import re
from collections.abc import Iterable
from functools import lru_cache

from cocosearch_py.model.files import ContentClass, Naming

CONTENT_RULE = "content: "  # how a rule begins that the text of a file decided

LOCK_FILES = frozenset({
    "package-lock.json", "npm-shrinkwrap.json", "yarn.lock", "pnpm-lock.yaml", "bun.lock", "deno.lock",
    "poetry.lock", "pdm.lock", "uv.lock", "pipfile.lock", "pixi.lock", "conda-lock.yml", "cargo.lock",
    "go.sum", "go.work.sum", "composer.lock", "gemfile.lock", "mix.lock", "pubspec.lock", "podfile.lock",
    "package.resolved", "packages.lock.json", "flake.lock", "gradle.lockfile", ".terraform.lock.hcl",
    "stack.yaml.lock", "cabal.project.freeze", "rebar.lock", "cartfile.resolved", "shard.lock",
    "module.bazel.lock",
})  # fmt: skip
MINIFIED_NAME = re.compile(r"[.-]min\.(?:m?js|cjs|css|html?|svg|json)$|\.(?:m?js|cjs|css)\.map$", re.IGNORECASE)
# Of folders, searched in their path with a slash before and after it.
_VENDORED_FOLDERS = (
    r"/(?:_?vendor(?:s|ed)?|third[-_]?party|(?:3rd|3d)[-_]?party|node_modules|bower_components|jspm_packages|Pods|Godeps"
    r"|Carthage/Checkouts|site-packages|\.yarn/(?:releases|plugins|sdks|patches)|\.mvn/wrapper|gradle/wrapper)/"
)
# Folders of other people's packages if one of these has a licence of its own: people call their own code so, too.
_FOREIGN_FOLDERS = r"(?:deps|dependencies|externals?|extern|subprojects|submodules)/"
_FOREIGN_LICENCE = re.compile(
    rf"((?:.*/)?{_FOREIGN_FOLDERS})[^/]+/"
    r"(?:un)?(?:licen[cs]e|copying|copyright|notice)[^/]*",
    re.IGNORECASE,
)
_PACKAGE_ABOVE = re.compile(f"{_VENDORED_FOLDERS}(?:src/)?|/{_FOREIGN_FOLDERS}", re.IGNORECASE)
_PACKAGE_PARTS = 3  # of a path that begins with a domain
_FOLDERS = tuple(
    (re.compile(pattern, re.IGNORECASE), content_class)
    for pattern, content_class in (
        (_VENDORED_FOLDERS, ContentClass.VENDORED),
        (r"/__(?:image_)?snapshots?__/", ContentClass.SNAPSHOT),
        (
            r"/(?:issue_template|pull_request_template|\.gitlab/(?:issue|merge_request)_templates)/",
            ContentClass.ISSUE_TEMPLATE,
        ),
        (r"/(?:__generated__|generated|generated[-_]sources?)/", ContentClass.GENERATED),
    )
)
_OUTPUT_FOLDER = re.compile(r"/(?:dist|(?:java|api)-?docs?)/", re.IGNORECASE)  # for files of some endings
_OUTPUT_ENDINGS = (".js", ".mjs", ".cjs", ".css", ".map", ".d.ts", ".d.mts", ".d.cts", ".html", ".htm")

# Of names in lower case.
_VENDORED_NAMES = frozenset({"gradlew", "gradlew.bat", "mvnw", "mvnw.cmd"})
_VERSIONED = re.compile(r"[a-z][a-z.-]*[-.]v?\d+\.\d+(?:\.\d+)?[\w.-]*\.(?:js|css)")  # jquery-3.6.0.js
_TEMPLATE_STEMS = frozenset({"issue_template", "pull_request_template"})
_ENDING = re.compile(
    r"[._-](?:(?P<snapshot>snap|storyshot|(?:approved|verified)\.\w+)"
    r"|(?P<generated>pb\.(?:go|cc|h|rb|swift|dart|js|ts|d\.ts|gw\.go|validate\.go)|pb2(?:_grpc)?\.pyi?|freezed\.dart"
    r"|g\.(?:cs|dart|i\.cs)|designer\.(?:cs|vb)|feature\.cs|generated\.\w+|gen\.\w+))$"
)
_DOCS_TREE = re.compile(r"^/_?docs?/|/documentation/", re.IGNORECASE)

_MARKUP_ENDINGS = (".html", ".htm", ".xhtml")
_SCRIPT_ENDINGS = (".js", ".mjs", ".cjs", ".css")
_SHOWN_CHARS = 80
_MARKUP_HEAD_BYTES = 8_000
# How rollup, webpack, browserify and parcel begin what they put together.
_BUNDLE = re.compile(
    rb"\bglobal = (?:typeof globalThis !== ['\"]undefined['\"] \? globalThis : )?global \|\| self, |"
    rb"\bwebpackUniversalModuleDefinition\b|\b__webpack_modules__\b|\bwebpackBootstrap\b|"
    rb"^\(function\(\)\{function [er]\([a-z],[a-z],[a-z]\)\{function |\bparcelRequire\b"
)
_BUNDLE_HEAD_BYTES = 2_000
_MAP_TAIL_BYTES = 400
MINIFIED_LINE_BYTES = 110  # mean line of a script; written ones stay below 80
_MINIFIED_MIN_BYTES = 1_000
# Pages that Javadoc, Doxygen, Sphinx, rustdoc, YARD, ... write say so in their heads.
_GENERATED_PAGE = re.compile(
    rb"<meta[^>]{0,80}\bname=[\"']?generator[\"']?[^>]{0,200}>?"
    rb"|<!--[^>]{0,40}\bgenerated (?:by|using|with)\b[^>]{0,80}>?"
    rb"|_static/(?:documentation_options|doctools)\.js|\bdata-rustdoc-version=|\bjsdoc-default\.css|\bdartdoc\b"
    rb"|\bid=\"documenter-|\bclass=\"tsd-|/haddock-",
    re.IGNORECASE,
)


def class_of_path(path: str) -> Naming | None:
    """The class that names of files and folders tell; None for a file of the project's own making."""
    folder, _, name = path.rpartition("/")
    of_folder, holds_output = _of_folder(folder)
    lowered = name.lower()
    if of_folder is not None and of_folder.content_class is ContentClass.VENDORED:
        return of_folder
    if lowered in _VENDORED_NAMES or (lowered.endswith((".js", ".css")) and _VERSIONED.fullmatch(lowered)):
        return Naming(ContentClass.VENDORED, f"built-in: {name}")
    if lowered in LOCK_FILES:
        return Naming(ContentClass.LOCK, f"built-in: lock file {name}")
    if of_folder is not None:
        return of_folder
    if lowered.partition(".")[0] in _TEMPLATE_STEMS:
        return Naming(ContentClass.ISSUE_TEMPLATE, f"built-in: {name}")
    may_be_minified = "min." in lowered or lowered.endswith(".map")
    if (found := _ENDING.search(lowered)) or (may_be_minified and (found := MINIFIED_NAME.search(lowered))):
        return Naming(ContentClass(found.lastgroup or "generated"), f"built-in: {found[0]}")
    if lowered.startswith("zz_generated.") or (holds_output and lowered.endswith(_OUTPUT_ENDINGS)):
        return Naming(ContentClass.GENERATED, f"built-in: {path[-_SHOWN_CHARS:]}")
    return None


@lru_cache(maxsize=5_000)
def _of_folder(folder: str) -> tuple[Naming | None, bool]:
    """The class that a folder gives all its files, and whether it is one that tools write to."""
    slashed = f"/{folder}/"
    for pattern, content_class in _FOLDERS:
        if found := pattern.search(slashed):
            return Naming(content_class, f"built-in: {found[0].removeprefix('/')}"), False
    return None, _OUTPUT_FOLDER.search(slashed) is not None


@lru_cache(maxsize=5_000)
def packages_of(path: str) -> tuple[str, ...]:
    """Names of the package that a vendored file belongs to: `vendor/github.com/go-chi/chi/mux.go` gives three."""
    found = _PACKAGE_ABOVE.search(f"/{path}")
    if found is None:
        return ()
    *folders, _ = f"/{path}"[found.end() :].split("/")
    return tuple(folders[: _PACKAGE_PARTS if folders and "." in folders[0] else 1])


def foreign_folders(paths: Iterable[str]) -> tuple[str, ...]:
    """Folders such as `deps/` that hold a package with a licence of its own; each ends with a slash."""
    return tuple({found[1] for path in paths if (found := _FOREIGN_LICENCE.fullmatch(path))})


def is_in_docs_tree(path: str) -> bool:
    """Whether a folder of documentation at the top of the repository, or one of that name, holds the file."""
    return _DOCS_TREE.search(f"/{path}") is not None


def is_markup(path: str) -> bool:
    """Whether the file may be a page of API documentation, which only its text tells."""
    return path.lower().endswith(_MARKUP_ENDINGS)


def class_of_content(path: str, source: bytes, line_count: int) -> Naming | None:
    """The class that the text of a file tells: pages of API documentation, bundles and dense scripts are generated."""
    name = path.lower()
    if is_markup(path) and (found := _GENERATED_PAGE.search(source[:_MARKUP_HEAD_BYTES])):
        marker = " ".join(found[0].decode("utf-8", "replace").split())
        return Naming(ContentClass.GENERATED, f"{CONTENT_RULE}{marker[:80]}")
    if name.endswith(_SCRIPT_ENDINGS):
        if b"# sourceMappingURL=" in source[-_MAP_TAIL_BYTES:]:
            return Naming(ContentClass.GENERATED, f"{CONTENT_RULE}it names a source map")
        if found := _BUNDLE.search(source, 0, _BUNDLE_HEAD_BYTES):
            return Naming(ContentClass.GENERATED, f"{CONTENT_RULE}a bundler's {found[0][:_SHOWN_CHARS].decode()}")
        mean_bytes = len(source) // line_count
        if mean_bytes > MINIFIED_LINE_BYTES and len(source) >= _MINIFIED_MIN_BYTES:
            return Naming(ContentClass.GENERATED, f"{CONTENT_RULE}mean line of {mean_bytes} bytes")
    return None
