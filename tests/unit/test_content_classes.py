"""What kind of content a file has: git attributes as git reads them, names of files and folders, the text itself."""

import subprocess
from pathlib import Path

import pytest

from cocosearch_py.discovery.attributes import ATTRIBUTES, FILE_NAME, Attributes
from cocosearch_py.discovery.classes import class_of_content, class_of_path, foreign_folders
from cocosearch_py.indexing.classes import Classifier, is_wanted, settle
from cocosearch_py.model.files import ContentClass, Naming

NAMES = sorted(ATTRIBUTES)
PATHS = (
    "a.py", "lib/a.py", "lib/b c.js", "lib/deep/gen.go", "lib/deep/#x.py", "lib/deep/v.min.css", "docs/a.md",
    "vendor/x/a.go", "nested/a.py", "nested/lib/a.py",
)  # fmt: skip


def write(root: Path, files: dict[str, str]) -> Path:
    for path, text in files.items():
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_text(text)
    return root


def git(root: Path, *arguments: str, stdin: str = "") -> str:
    done = subprocess.run(
        ["git", "-c", "core.attributesFile=/dev/null", *arguments],
        cwd=root,
        input=stdin,
        capture_output=True,
        text=True,
        check=True,
        timeout=60,
    )
    return done.stdout


def opened(root: Path) -> Attributes:
    return Attributes(root, frozenset(path.relative_to(root).as_posix() for path in root.rglob(FILE_NAME)))


def ours(root: Path) -> dict[tuple[str, str], str]:
    """(path, attribute) -> set, unset or nothing said."""
    read = opened(root)
    said = {path: read.of(path) for path in PATHS}
    return {
        (path, name): "set" if one.value else "unset"
        for path in PATHS
        for name in NAMES
        if (one := said[path].get(name)) is not None and one.value is not None
    }


def gits(root: Path) -> dict[tuple[str, str], str]:
    """The same as git says it; Linguist takes the text `false` for unset and any other for set."""
    fields = git(root, "check-attr", "-z", "--stdin", *NAMES, stdin="".join(f"{path}\0" for path in PATHS)).split("\0")
    rows = zip(fields[::3], fields[1::3], fields[2::3], strict=False)
    return {
        (path, name): "unset" if value in ("unset", "false") else "set"
        for path, name, value in rows
        if value != "unspecified"
    }


def test_attributes_reach_files_below_any_number_of_folders(tmp_path: Path) -> None:
    (tmp_path / FILE_NAME).write_text("*.py linguist-vendored\n")
    assert opened(tmp_path).of("a/" * 1_500 + "b.py")["linguist-vendored"].value


@pytest.mark.parametrize(
    "files",
    [
        {".gitattributes": "*.py linguist-vendored\nlib/*.py -linguist-vendored\n"},
        {".gitattributes": "lib/** linguist-generated\n", "lib/.gitattributes": "a.py !linguist-generated\n"},
        {".gitattributes": "lib/ linguist-vendored\nvendor linguist-vendored\n"},  # not of its files
        {".gitattributes": '"lib/b c.js" linguist-generated=true\n"lib/b\\040c.js" linguist-vendored\n'},
        {".gitattributes": "*.go linguist-generated=false\n*.js linguist-vendored=yes\n"},
        {".gitattributes": "[attr]theirs linguist-vendored -linguist-documentation\nlib/** theirs\n*.go -theirs\n"},
        {".gitattributes": "[attr]a linguist-vendored\n[attr]b a linguist-generated\n/lib/** b\n"},
        {".gitattributes": "# *.py linguist-vendored\n\\#x.py linguist-vendored\n!*.md linguist-vendored\n"},
        {".gitattributes": "\t*.py\tlinguist-vendored\t-linguist-vendored  text\r\n*.md linguist-documentation\r\n"},
        {"lib/.gitattributes": "deep/* linguist-generated\n/a.py linguist-vendored\n**/v.* -linguist-generated\n"},
        {".gitattributes": "**/lib/** linguist-vendored\n", "lib/deep/.gitattributes": "* !linguist-vendored\n"},
        {".git/info/attributes": "lib/a.py -linguist-vendored\n", ".gitattributes": "*.py linguist-vendored\n"},
        {"nested/.gitattributes": "* linguist-vendored\nlib/* -linguist-vendored\n"},
        {".gitattributes": "[attr]x linguist-vendored\n", "lib/.gitattributes": "*.py x\n* y\n"},
    ],
)  # fmt: skip
def test_attributes_are_read_as_git_reads_them(tmp_path: Path, files: dict[str, str]) -> None:
    git(tmp_path, "init", "-q")
    write(tmp_path, dict.fromkeys(PATHS, "x\n") | files)
    assert ours(tmp_path) == gits(tmp_path)


def test_a_walk_that_starts_inside_a_repository_hears_the_files_above(tmp_path: Path) -> None:
    git(tmp_path, "init", "-q")
    write(tmp_path, {".gitattributes": "inner/lib/* linguist-vendored\na.py linguist-generated\n", "inner/a.py": "x\n"})
    said = opened(tmp_path / "inner")
    assert said.of("lib/a.py")["linguist-vendored"].rule == "../.gitattributes:1: linguist-vendored"
    assert said.of("lib/a.py")["linguist-generated"].value


def test_a_repository_within_starts_anew(tmp_path: Path) -> None:
    git(tmp_path, "init", "-q")
    write(tmp_path, {".gitattributes": "* linguist-vendored\n", "sub/.gitattributes": "b.py linguist-generated\n"})
    git(tmp_path / "sub", "init", "-q")
    said = opened(tmp_path)
    assert said.of("sub/a.py") == {}
    assert set(said.of("sub/b.py")) == {"linguist-generated"}
    assert set(said.of("other/b.py")) == {"linguist-vendored"}


def test_a_link_is_no_attributes_file(tmp_path: Path) -> None:
    write(tmp_path, {"outside": "* linguist-vendored\n", "root/a.py": "x\n"})
    (tmp_path / "root/.gitattributes").symlink_to(tmp_path / "outside")
    assert opened(tmp_path / "root").of("a.py") == {}


@pytest.mark.parametrize(
    ("path", "content_class"),
    [
        ("vendor/github.com/a/b.go", ContentClass.VENDORED),
        ("src/pip/_vendor/urllib3/util.py", ContentClass.VENDORED),
        ("third_party/abseil/a.cc", ContentClass.VENDORED),
        ("ThirdParty/zlib/inflate.c", ContentClass.VENDORED),
        ("web/node_modules/x/index.js", ContentClass.VENDORED),
        ("ios/Pods/AFNetworking/a.m", ContentClass.VENDORED),
        ("Godeps/_workspace/src/a.go", ContentClass.VENDORED),
        (".yarn/releases/yarn-3.2.1.cjs", ContentClass.VENDORED),
        ("gradlew", ContentClass.VENDORED),
        ("public/js/jquery-3.6.0.js", ContentClass.VENDORED),
        ("vendor/bundle/Gemfile.lock", ContentClass.VENDORED),  # whose it is matters more than what it is
        ("package-lock.json", ContentClass.LOCK),
        ("sub/Cargo.lock", ContentClass.LOCK),
        ("go.sum", ContentClass.LOCK),
        ("ui/__snapshots__/button.js", ContentClass.SNAPSHOT),
        ("ui/button.test.js.snap", ContentClass.SNAPSHOT),
        ("Tests/Api.Get.verified.txt", ContentClass.SNAPSHOT),
        (".github/ISSUE_TEMPLATE/bug.yml", ContentClass.ISSUE_TEMPLATE),
        (".github/pull_request_template.md", ContentClass.ISSUE_TEMPLATE),
        (".gitlab/merge_request_templates/default.md", ContentClass.ISSUE_TEMPLATE),
        ("dist/app.js", ContentClass.GENERATED),
        ("packages/a/dist/index.d.ts", ContentClass.GENERATED),
        ("api/user.pb.go", ContentClass.GENERATED),
        ("api/user_pb2_grpc.py", ContentClass.GENERATED),
        ("Forms/Main.Designer.cs", ContentClass.GENERATED),
        ("lib/model.g.dart", ContentClass.GENERATED),
        ("pkg/zz_generated.deepcopy.go", ContentClass.GENERATED),
        ("src/__generated__/query.ts", ContentClass.GENERATED),
        ("target/apidocs/index.html", ContentClass.GENERATED),
        ("web/app.min.js", ContentClass.GENERATED),
        ("web/app.js.map", ContentClass.GENERATED),
        ("src/vendors.py", None),
        ("src/vendor.ts", None),
        ("external/clock.py", None),
        ("deps/setup.py", None),
        ("dist/build.py", None),
        ("src/lock.py", None),
        ("src/generated.py", None),
        ("src/snapshots/take.rs", None),
        ("src/http2/frame.js", None),
        ("templates/issue.html", None),
    ],
)
def test_names_tell_the_class(path: str, content_class: ContentClass | None) -> None:
    named = class_of_path(path)
    assert (named and named.content_class) == content_class
    assert named is None or named.rule.startswith("built-in: ")


def test_a_folder_of_dependencies_counts_when_one_of_them_has_a_licence_of_its_own(tmp_path: Path) -> None:
    paths = ["deps/lua/COPYRIGHT", "deps/hiredis/a.c", "src/external/clock.py", "src/external/LICENSE", "deps.md"]
    assert foreign_folders(paths) == ("deps/",)
    names = Classifier(tmp_path, paths, {})
    assert names.name("deps/hiredis/a.c") == Naming(ContentClass.VENDORED, "built-in: third-party licences in deps/")
    assert names.name("src/external/clock.py") is None


@pytest.mark.parametrize(
    ("path", "source", "rule"),
    [
        ("a.html", b'<html><head><meta name="generator" content="rustdoc">', 'content: <meta name="generator"'),
        ("api/a.HTML", b"<!DOCTYPE HTML>\n<!-- Generated by javadoc (17) on Mon -->\n", "content: <!-- Generated by"),
        ("a.html", b"<script src='_static/documentation_options.js'></script>", "content: _static/doc"),
        ("a.js", b"var a\n//# sourceMappingURL=a.js.map\n", "content: it names a source map"),
        (
            "web/lib.js",
            b"/* Lib 7.2 */\n(function (global, factory) {\n    (global = global || self, factory(global.Lib = {}));\n",
            "content: a bundler's global = global || self, ",
        ),
        ("a.css", b"a{b:c}" * 100 + b"\n" + b"d{e:f}" * 100, "content: mean line of"),
        ("shop/migrations/0002_b.py", b"# Generated by Django 5.2 on 2025-04-18\n", "content: Generated by Django 5"),
    ],
)
def test_the_text_tells_generated_pages_and_bundles(path: str, source: bytes, rule: str) -> None:
    named = class_of_content(path, source, source.count(b"\n") + 1)
    assert named is not None and named.content_class is ContentClass.GENERATED and named.rule.startswith(rule)


@pytest.mark.parametrize(
    ("path", "source"),
    [
        ("a.html", b"<html><head><title>Generated by hand</title>"),
        ("a.py", b"# sourceMappingURL=x\n"),
        ("a.py", b"import re\n# Generated by Django 5.2 on 2025-04-18\n"),
        ("a.js", b"const a = 1;\n" * 200),
        ("a.css", b"a" * 150),
    ],
)
def test_written_text_is_not_taken_for_generated(path: str, source: bytes) -> None:
    assert class_of_content(path, source, source.count(b"\n") or 1) is None


@pytest.mark.parametrize(
    ("attributes", "path", "content_class"),
    [
        ("lib/** linguist-vendored", "lib/a.py", ContentClass.VENDORED),
        ("vendor/ours/** -linguist-vendored", "vendor/ours/a.py", None),
        ("vendor/ours/** -linguist-vendored", "vendor/theirs/a.py", ContentClass.VENDORED),
        ("api/** linguist-generated", "api/client.ts", ContentClass.GENERATED),
        ("api/** linguist-generated", "api/__snapshots__/a.ts", ContentClass.SNAPSHOT),
        ("*.pb.go -linguist-generated", "api/user.pb.go", None),
        ("manual/** linguist-documentation", "manual/example.py", ContentClass.DOCS),
        ("* linguist-vendored linguist-generated", "a.py", ContentClass.VENDORED),
        ("vendor/** !linguist-vendored", "vendor/a.py", ContentClass.VENDORED),
    ],
)
def test_attributes_overrule_names(
    tmp_path: Path, attributes: str, path: str, content_class: ContentClass | None
) -> None:
    write(tmp_path, {".gitattributes": f"{attributes}\n"})
    named = Classifier(tmp_path, [path], {}).name(path)
    assert (named and named.content_class) == content_class


def test_settings_overrule_everything_and_the_last_pattern_decides(tmp_path: Path) -> None:
    write(tmp_path, {".gitattributes": "* linguist-vendored\n"})
    chosen = {"vendor": ContentClass.CODE, "*.lock": ContentClass.CONFIG, "vendor/a/": ContentClass.GENERATED}
    names = Classifier(tmp_path, [], chosen)
    named = {path: names.name(path) for path in ("x/vendor/b.go", "vendor/a/b.go", "Cargo.lock", "b.go")}
    assert {path: one and (one.content_class, one.wanted) for path, one in named.items()} == {
        "x/vendor/b.go": ("code", True),
        "vendor/a/b.go": ("generated", True),
        "Cargo.lock": ("config", True),
        "b.go": ("vendored", False),
    }
    assert named["Cargo.lock"] and named["Cargo.lock"].rule == "indexing.contentClasses: *.lock"
    assert [is_wanted(one.rule) for one in named.values() if one] == [True, True, True, False]


@pytest.mark.parametrize(
    ("path", "language", "content_class"),
    [
        ("src/a.py", "python", "code"),
        ("tests/test_a.py", "python", "tests"),
        ("tests/data.json", "json", "tests"),
        ("tests/README.md", "markdown", "docs"),
        ("docs/conf.py", "python", "docs"),
        ("src/docs/model.py", "python", "code"),
        ("setup.toml", "toml", "config"),
        ("a.csv", "csv", "data"),
    ],
)
def test_the_rest_is_told_by_language_and_folder(path: str, language: str, content_class: str) -> None:
    assert settle(None, path, language) == (content_class, None)
