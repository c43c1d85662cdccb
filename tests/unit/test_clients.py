"""Configuration of agent clients: entries, edits of JSON and TOML texts, rules, and files."""

import json
import os
import tomllib
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cocosearch_py.clients import files, jsontext, tomltext
from cocosearch_py.clients.entry import Local, Remote, make_entry, merge_entry, server_url
from cocosearch_py.clients.plan import Wish, apply, diff, plan
from cocosearch_py.clients.rules import BEGIN, END, with_block
from cocosearch_py.clients.table import BY_KEY, CLIENTS, Homes, detected, homes_of
from cocosearch_py.errors import BusyError, ConfigurationError, SafetyError, ValidationError

COMMAND = ("cocosearch-py",)
FULL = ("/opt/bin/cocosearch-py",)


@pytest.fixture
def project(tmp_path: Path) -> Path:
    folder = tmp_path / "shop"
    folder.mkdir()
    return folder


@pytest.fixture
def homes(tmp_path: Path) -> Homes:
    home = tmp_path / "home"
    home.mkdir()
    return homes_of({}, home, "linux")


@pytest.fixture
def wish(project: Path, homes: Homes) -> Wish:
    return Wish(
        project=project, homes=homes, name="cocosearch", how=Local(COMMAND, FULL, project), user_wide=False
    )  # fmt: skip


def written(wish: Wish, *keys: str) -> list[str]:
    """Plan and apply; the actions."""
    changes = plan([BY_KEY[key] for key in keys], wish)
    apply(changes)
    return [change.action for change in changes]


FROM_CWD = {"command": "cocosearch-py", "args": ["mcp", "--project-from-cwd"]}
PASSED_ON = {"env_vars": ["COCOSEARCH_DATA_DIR", "COCOSEARCH_DATABASE_URL"]}
IN_WORKSPACE = {"command": "cocosearch-py", "args": ["mcp", "${workspaceFolder}"]}
IN_PROJECT = {
    "claude": (".mcp.json", {"mcpServers": {"cocosearch": {"type": "stdio", **FROM_CWD}}}),
    "cursor": (".cursor/mcp.json", {"mcpServers": {"cocosearch": IN_WORKSPACE}}),
    "vscode": (".vscode/mcp.json", {"servers": {"cocosearch": {"type": "stdio", **IN_WORKSPACE}}}),
    "windsurf": (
        ".windsurf/mcp.json",
        {"mcpServers": {"cocosearch": {"command": "cocosearch-py", "args": ["mcp", "PROJECT"]}}},
    ),
    "codex": (".codex/config.toml", {"mcp_servers": {"cocosearch": {**FROM_CWD, **PASSED_ON}}}),
    "gemini": (".gemini/settings.json", {"mcpServers": {"cocosearch": FROM_CWD}}),
    "opencode": (
        "opencode.json",
        {
            "mcp": {
                "cocosearch": {
                    "type": "local",
                    "command": ["cocosearch-py", "mcp", "--project-from-cwd"],
                    "enabled": True,
                }
            }
        },
    ),
}
FOR_USER = {
    "claude": ".claude.json",
    "claude-desktop": ".config/Claude/claude_desktop_config.json",
    "cursor": ".cursor/mcp.json",
    "vscode": ".config/Code/User/mcp.json",
    "windsurf": ".codeium/windsurf/mcp_config.json",
    "codex": ".codex/config.toml",
    "gemini": ".gemini/settings.json",
    "opencode": ".config/opencode/opencode.json",
}
BY_URL = {
    "claude": {"type": "http", "url": "U", "headers": {"Authorization": "Bearer ${T}"}},
    "cursor": {"url": "U", "headers": {"Authorization": "Bearer ${env:T}"}},
    "vscode": {"type": "http", "url": "U", "headers": {"Authorization": "Bearer ${env:T}"}},
    "windsurf": {"serverUrl": "U", "headers": {"Authorization": "Bearer ${env:T}"}},
    "codex": {"url": "U", "bearer_token_env_var": "T"},
    "gemini": {"httpUrl": "U", "headers": {"Authorization": "Bearer ${T}"}},
    "opencode": {"type": "remote", "url": "U", "headers": {"Authorization": "Bearer {env:T}"}, "enabled": True},
}


def load(path: Path) -> object:
    text = path.read_text(encoding="utf-8")
    return tomllib.loads(text) if path.suffix == ".toml" else json.loads(text)


def test_the_tables_of_this_file_name_every_client() -> None:
    assert set(FOR_USER) == set(BY_KEY)
    assert set(IN_PROJECT) == set(BY_URL) == set(BY_KEY) - {"claude-desktop"}


@pytest.mark.parametrize("key", IN_PROJECT)
def test_each_client_has_its_file_in_the_project(key: str, wish: Wish) -> None:
    name, expected = IN_PROJECT[key]
    assert written(wish, key) == ["created"]
    text = json.dumps(load(wish.project / name)).replace(json.dumps(str(wish.project)), '"PROJECT"')
    assert json.loads(text) == expected
    before = (wish.project / name).read_bytes()
    assert written(wish, key) == ["unchanged"]
    assert (wish.project / name).read_bytes() == before


@pytest.mark.parametrize("key", FOR_USER)
def test_each_client_has_its_file_for_the_user(key: str, wish: Wish) -> None:
    assert written(replace(wish, user_wide=True), key) == ["created"]
    path = wish.homes.home / FOR_USER[key]
    assert "/opt/bin/cocosearch-py" in path.read_text(encoding="utf-8")
    assert path.stat().st_mode & 0o077 == 0
    assert list(wish.project.iterdir()) == []
    assert written(replace(wish, user_wide=True), key) == ["unchanged"]


@pytest.mark.parametrize("key", BY_URL)
def test_each_client_has_its_form_of_a_url(key: str, wish: Wish) -> None:
    assert make_entry(BY_KEY[key], Remote("U", "T")) == BY_URL[key]
    plain = make_entry(BY_KEY[key], Remote("U"))
    assert plain == {k: v for k, v in BY_URL[key].items() if k not in ("headers", "bearer_token_env_var")}


def test_claude_desktop_names_the_project_and_has_no_url(wish: Wish) -> None:
    assert written(wish, "claude-desktop") == ["created"]
    document = load(wish.homes.applications / "Claude" / "claude_desktop_config.json")
    assert document == {
        "mcpServers": {"cocosearch": {"command": FULL[0], "args": ["mcp", str(wish.project)]}}
    }  # fmt: skip
    with pytest.raises(ValidationError):
        plan([BY_KEY["claude-desktop"]], replace(wish, how=Remote("http://localhost:3000/mcp")))


def test_folders_follow_platform_and_environment(tmp_path: Path) -> None:
    home = tmp_path
    assert homes_of({}, home, "darwin").applications == home / "Library" / "Application Support"
    assert homes_of({}, home, "win32").applications == home / "AppData" / "Roaming"
    named = homes_of(
        {"XDG_CONFIG_HOME": "/x", "CODEX_HOME": "/c", "CLAUDE_CONFIG_DIR": "/k", "APPDATA": "/a"}, home, "linux"
    )
    assert (named.config, named.applications, named.codex) == (Path("/x"), Path("/x"), Path("/c"))
    assert (named.claude, named.claude_home) == (Path("/k"), Path("/k"))
    assert homes_of({"CODEX_HOME": "relative"}, home, "linux").codex == home / ".codex"


def test_clients_are_found_by_their_folders(project: Path, homes: Homes) -> None:
    assert detected(project, homes) == []
    (project / ".vscode").mkdir()
    (homes.home / ".codex").mkdir()
    assert [client.key for client in detected(project, homes)] == ["vscode", "codex"]


FULL_JSON = """{
    // not here
    "theme": "dark", "list": [1,2,   3],
    "mcpServers": {
        "other": { "command": "x", "env": {"API_KEY": "s3cret"} }
    },
    "after": 1.50
}
"""


def test_other_servers_and_their_formatting_stay(wish: Wish) -> None:
    before = FULL_JSON.replace("    // not here\n", "")
    path = wish.project / ".mcp.json"
    path.write_text(before)
    assert written(wish, "claude") == ["updated"]
    after = path.read_text()
    lines = after.splitlines()
    assert [line for line in lines if line in before.splitlines()] == [
        line for line in before.splitlines() if line in lines
    ]
    assert '"other": { "command": "x", "env": {"API_KEY": "s3cret"} },' in after
    assert '"list": [1,2,   3],' in after
    assert '        "cocosearch": {\n            "type"' in after  # the file's own indent
    assert list(json.loads(after)["mcpServers"]) == ["other", "cocosearch"]
    assert list(json.loads(after)) == ["theme", "list", "mcpServers", "after"]


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("", '{\n  "s": {\n    "n": 1\n  }\n}\n'),
        ("{}", '{\n  "s": {\n    "n": 1\n  }\n}'),
        ('{"s": {}}\n', '{"s": {\n    "n": 1\n  }}\n'),
        ('{"a": 1}', '{"a": 1, "s": {"n": 1}}'),
        ('{"s": {"n": 0, "m": 2}}', '{"s": {"n": 1, "m": 2}}'),
        ('{\n\t"a": 1\n}\n', '{\n\t"a": 1,\n\t"s": {\n\t\t"n": 1\n\t}\n}\n'),
        ('{\r\n  "a": 1\r\n}\r\n', '{\r\n  "a": 1,\r\n  "s": {\r\n    "n": 1\r\n  }\r\n}\r\n'),
        ('\ufeff{\n  "s": {\n    "x": "}"\n  }\n}', '\ufeff{\n  "s": {\n    "x": "}",\n    "n": 1\n  }\n}'),
        ('{"\\u0073": {"\\u006e": 0}}', '{"\\u0073": {"\\u006e": 1}}'),
    ],
)
def test_one_member_of_a_json_text_is_set(before: str, after: str) -> None:
    assert jsontext.set_member(before, "s", "n", 1) == after
    assert jsontext.set_member(after, "s", "n", 1) == after


def _objects(inner: st.SearchStrategy[object]) -> st.SearchStrategy[dict[str, object]]:
    return st.dictionaries(st.sampled_from(["s", "n", "a", '"', "\\", "{", "é"]), inner, max_size=4)


_SCALARS = st.none() | st.booleans() | st.integers() | st.text(max_size=8)
_VALUES = st.recursive(_SCALARS, lambda inner: st.lists(inner, max_size=3) | _objects(inner), max_leaves=8)


@given(document=_objects(_VALUES), section=st.none() | _objects(_VALUES), indent=st.sampled_from([None, 1, 4, "\t"]))
def test_any_document_keeps_everything_but_our_member(
    document: dict[str, object], section: dict[str, object] | None, indent: int | str | None
) -> None:
    document.pop("s", None)
    document |= {} if section is None else {"s": section}
    before = json.dumps(document, indent=indent, ensure_ascii=indent == 1)
    after = jsontext.set_member(before, "s", "n", {"command": "c"})
    ours = {**(section or {}), "n": {"command": "c"}}
    assert json.loads(after) == {**document, "s": ours}
    assert list(json.loads(after)) == list({**document, "s": ours})
    again = jsontext.set_member(after, "s", "n", {"command": "c"})
    assert jsontext.set_member(again, "s", "n", {"command": "c"}) == again


@pytest.mark.parametrize(
    ("text", "told"),
    [
        (FULL_JSON, "comments or trailing commas"),
        ('{"mcpServers": {},}', "comments or trailing commas"),
        ('{"mcpServers": {', "not valid JSON"),
        ('{"url": "http://x" "b": 1}', "not valid JSON"),
        ("[]", "not a JSON object"),
        ('{"mcpServers": []}', "not an object"),
        ('{"mcpServers": {"cocosearch": 1}}', "not an object"),
        ('{"mcpServers": {}, "mcpServers": {}}', "twice"),
        ("[" * 100_000, "not|deep"),
    ],
)
def test_a_file_that_cannot_be_edited_safely_stays(text: str, told: str, wish: Wish) -> None:
    path = wish.project / ".mcp.json"
    path.write_text(text)
    with pytest.raises(ConfigurationError, match=told):
        plan([BY_KEY["claude"]], replace(wish, force=True))
    assert path.read_text() == text


def test_another_entry_needs_force_and_keeps_what_is_the_users(wish: Wish) -> None:
    entry = {"command": "old", "args": ["mcp"], "env": {"COCOSEARCH_DATABASE_URL": "postgresql://u:pw@h/d"}, "x": 1}
    path = wish.project / ".mcp.json"
    path.write_text(json.dumps({"mcpServers": {"cocosearch": entry}}, indent=2))
    with pytest.raises(SafetyError) as refused:
        plan([BY_KEY["claude"]], wish)
    assert "command, args" in refused.value.message
    assert "pw" not in refused.value.message + refused.value.hint
    assert written(replace(wish, force=True), "claude") == ["updated"]
    assert json.loads(path.read_text())["mcpServers"]["cocosearch"] == {**entry, "type": "stdio", **FROM_CWD}
    assert written(wish, "claude") == ["unchanged"]


def test_what_the_user_added_is_no_difference(wish: Wish) -> None:
    merged = merge_entry({**FROM_CWD, "env": {"A": "b"}}, {"type": "stdio", **FROM_CWD})
    assert merged.differs == ()
    assert merge_entry({"type": "local", "enabled": False}, {"type": "local", "enabled": True}).differs == ()
    passed_on = merge_entry({"command": "old", "env_vars": ["MINE"]}, {"command": "new", "env_vars": ["OURS"]})
    assert passed_on.entry == {"command": "new", "env_vars": ["MINE"]}


def test_only_one_url_is_left() -> None:
    existing = {"url": "A", "type": "http", "headers": {"Authorization": "Bearer x"}, "timeout": 5}
    merged = merge_entry(existing, {"httpUrl": "B"})
    assert merged.entry == {"httpUrl": "B", "headers": {"Authorization": "Bearer x"}, "timeout": 5}
    assert merged.differs == ("httpUrl",)


def test_start_and_url_are_never_mixed() -> None:
    merged = merge_entry({"command": "c", "args": [], "env": {"A": "b"}}, {"type": "http", "url": "U"})
    assert merged.entry == {"type": "http", "url": "U"}
    assert set(merged.differs) == {"command", "args", "env", "type", "url"}


CODEX = """\
# my settings
model = "m"  # keep

[mcp_servers.other]
command = "x"

[mcp_servers.other.env]
KEY = "s3cret"
"""


NEW_LINES = """\
command = "cocosearch-py"
args = ["mcp", "--project-from-cwd"]
env_vars = ["COCOSEARCH_DATA_DIR", "COCOSEARCH_DATABASE_URL"]
"""


def test_toml_is_appended_and_all_else_stays(wish: Wish) -> None:
    path = wish.project / ".codex" / "config.toml"
    path.parent.mkdir()
    path.write_text(CODEX)
    assert written(wish, "codex") == ["updated"]
    assert path.read_text() == CODEX + "\n[mcp_servers.cocosearch]\n" + NEW_LINES
    assert written(wish, "codex") == ["unchanged"]


OLD_TABLE = """\
[mcp_servers.cocosearch] # ours
# a remark
command = "old"
args = [
  "a", # one
  "b",
]
startup_timeout_sec = 20 # mine

[mcp_servers.cocosearch.env]
TOKEN = "s3cret"

[last]
text = '''
[mcp_servers.cocosearch]
'''
"""


def test_only_our_toml_table_is_replaced(wish: Wish) -> None:
    path = wish.project / ".codex" / "config.toml"
    path.parent.mkdir()
    path.write_text(CODEX + OLD_TABLE)
    with pytest.raises(SafetyError, match="command, args"):
        plan([BY_KEY["codex"]], wish)
    with pytest.raises(ConfigurationError, match="cannot be edited safely"):  # the text that looks like our header
        plan([BY_KEY["codex"]], replace(wish, force=True))
    harmless = OLD_TABLE.replace("'''\n[mcp", "'''\n# [mcp")
    path.write_text(CODEX + harmless)
    assert written(replace(wish, force=True), "codex") == ["updated"]
    expected = harmless.replace('command = "old"\nargs = [\n  "a", # one\n  "b",\n]\n', "").replace(
        "# ours\n", "# ours\n" + NEW_LINES
    )
    assert path.read_text() == CODEX + expected
    by_url = replace(wish, force=True, how=Remote("http://h/mcp"))
    assert written(by_url, "codex") == ["updated"]
    document = tomllib.loads(path.read_text())
    assert document["mcp_servers"]["cocosearch"] == {"url": "http://h/mcp"}
    assert document["mcp_servers"]["other"]["env"] == {"KEY": "s3cret"}
    assert "# a remark" in path.read_text()


@pytest.mark.parametrize(
    "text",
    [
        'mcp_servers = { cocosearch = { command = "old" } }\n',
        '[mcp_servers]\ncocosearch = { command = "old" }\n',
        'mcp_servers.cocosearch.command = "old"\n',
        "mcp_servers = {}\n",
        "mcp_servers = 1\n",
        "[broken\n",
    ],
)
def test_toml_in_another_form_is_refused(text: str, wish: Wish) -> None:
    path = wish.project / ".codex" / "config.toml"
    path.parent.mkdir()
    path.write_text(text)
    with pytest.raises(ConfigurationError):
        plan([BY_KEY["codex"]], replace(wish, force=True))
    assert path.read_text() == text


def test_toml_keeps_line_ends_and_escapes_strings() -> None:
    value = {"command": 'C:\\Program Files\\"x"\\é\x7f\n', "args": []}
    text = tomltext.set_table('a = "b"\r\n', "mcp_servers", "n", value)
    assert text.count("\n") == text.count("\r\n") > 3
    assert tomllib.loads(text)["mcp_servers"]["n"] == value


def test_rules_are_one_block_however_often(wish: Wish) -> None:
    notes = "# Ours\r\n\r\nBe kind.\r\n"
    once = with_block(notes, "cocosearch", "f")
    assert once.startswith(notes)
    assert once.count("\n") == once.count("\r\n")
    assert with_block(once, "cocosearch", "f") == once
    other = with_block(once + "More.\r\n", "shop", "f")
    assert "`shop`" in other
    assert "`cocosearch`" not in other
    assert other.startswith(notes)
    assert other.endswith("More.\r\n")


def test_rules_name_the_toolsets_that_are_on() -> None:
    plain = with_block("", "cocosearch", "f")
    assert not {"wiki_search", "patch_file"} & set(plain.replace("`", " ").split())
    for toolsets, wiki, edit in ((("all",), True, False), (("default", "wiki"), True, False), (("edit",), False, True)):
        text = with_block(plain, "cocosearch", "f", toolsets)
        assert ("`wiki_search`" in text, "`patch_file`" in text) == (wiki, edit)


@pytest.mark.parametrize("text", [BEGIN, END, f"{END}\n{BEGIN}\n", f"{BEGIN}{END}{BEGIN}{END}"])
def test_broken_markers_are_refused(text: str) -> None:
    with pytest.raises(ConfigurationError):
        with_block(text, "cocosearch", "f")


def test_each_client_has_rules_and_shared_ones_once(wish: Wish) -> None:
    (wish.project / "CLAUDE.md").symlink_to("AGENTS.md")
    asked = replace(wish, rules=True)
    changes = plan([client for client in CLIENTS if client.project_file], asked)
    apply(changes)
    rules = [change.path.relative_to(wish.project).as_posix() for change in changes if change.kind == "rules"]
    assert rules == ["AGENTS.md", ".cursor/rules/cocosearch.mdc", "GEMINI.md"]
    assert (wish.project / "CLAUDE.md").is_symlink()
    assert (wish.project / "AGENTS.md").read_text().count(BEGIN) == 1
    assert (wish.project / ".cursor/rules/cocosearch.mdc").read_text().startswith("---\n")
    assert {change.action for change in plan(CLIENTS[:1], asked)} == {"unchanged"}
    assert plan(CLIENTS[:1], replace(asked, user_wide=True))[1].path == wish.homes.home / ".claude" / "CLAUDE.md"


def test_links_out_of_the_folder_are_not_followed(wish: Wish, tmp_path: Path) -> None:
    outside = tmp_path / "outside"
    outside.mkdir()
    (outside / "mcp.json").write_text("{}")
    (wish.project / ".cursor").symlink_to(outside)
    (wish.project / ".mcp.json").symlink_to(outside / "not-there.json")
    for key in ("cursor", "claude"):
        with pytest.raises(SafetyError, match="link to a place outside"):
            plan([BY_KEY[key]], replace(wish, force=True))
    assert [path.name for path in outside.iterdir()] == ["mcp.json"]
    (wish.project / ".gemini").symlink_to(".gemini")
    with pytest.raises(ConfigurationError):
        plan([BY_KEY["gemini"]], wish)
    (wish.project / "opencode.json").mkdir()
    with pytest.raises(ConfigurationError, match="not a file"):
        plan([BY_KEY["opencode"]], wish)


def test_a_link_within_the_home_folder_stays_a_link(wish: Wish) -> None:
    kept = wish.homes.home / "dotfiles" / "cursor.json"
    kept.parent.mkdir()
    kept.write_text("{}")
    kept.chmod(0o640)
    link = wish.homes.home / ".cursor" / "mcp.json"
    link.parent.mkdir()
    link.symlink_to(kept)
    assert written(replace(wish, user_wide=True), "cursor") == ["updated"]
    assert link.is_symlink()
    assert "cocosearch" in kept.read_text()
    assert kept.stat().st_mode & 0o777 == 0o640
    assert [path.name for path in kept.parent.iterdir()] == ["cursor.json"]  # no temporary file is left


def test_a_file_that_changed_meanwhile_is_not_overwritten(wish: Wish) -> None:
    path = wish.project / ".mcp.json"
    path.write_text("{}")
    changes = plan([BY_KEY["claude"]], wish)
    path.write_text('{"by": "another program"}')
    with pytest.raises(BusyError):
        apply(changes)
    assert path.read_text() == '{"by": "another program"}'
    assert [one.name for one in wish.project.iterdir()] == [".mcp.json"]


def test_nothing_is_written_when_one_client_refuses(wish: Wish) -> None:
    (wish.project / ".vscode").mkdir()
    (wish.project / ".vscode" / "mcp.json").write_text("{ // mine\n}")
    with pytest.raises(ConfigurationError):
        written(wish, "claude", "vscode")
    assert not (wish.project / ".mcp.json").exists()


def test_a_configuration_with_comments_of_opencode_is_left_alone(wish: Wish) -> None:
    (wish.project / "opencode.jsonc").write_text("{} // mine")
    with pytest.raises(ConfigurationError, match=r"opencode\.jsonc"):
        plan([BY_KEY["opencode"]], wish)


@pytest.mark.parametrize("content", [b"\xff\xfe{\x00}\x00", b"\x80"])
def test_a_file_in_another_encoding_is_refused(content: bytes, wish: Wish) -> None:
    (wish.project / ".mcp.json").write_bytes(content)
    with pytest.raises(ConfigurationError, match="UTF-8"):
        plan([BY_KEY["claude"]], wish)


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write everywhere")
def test_a_folder_that_cannot_be_written_is_told(wish: Wish) -> None:
    wish.project.chmod(0o500)
    with pytest.raises(ConfigurationError, match="cannot be written"):
        written(wish, "claude")


def test_a_parent_that_is_a_file_is_told(wish: Wish) -> None:
    (wish.project / ".codex").write_text("")
    with pytest.raises(ConfigurationError):
        written(wish, "codex")


def test_the_shown_difference_masks_secrets(wish: Wish) -> None:
    path = wish.project / ".mcp.json"
    secrets = '"API_KEY": "s3cret-1", "A": "Bearer s3cret-2", "U": "postgresql://u:s3cret-3@h/d", "R": "Bearer ${V}"'
    path.write_text('{\n  "mcpServers": {\n    "o": {"env": {' + secrets + "}}\n  }\n}\n")
    (change,) = plan([BY_KEY["claude"]], wish)
    shown = diff(change, "f")
    assert '+    "cocosearch": {' in shown
    assert "s3cret" not in shown
    assert "Bearer ${V}" in shown
    assert change.after.count("s3cret") == 3
    how = Remote("http://h/mcp", "MY_TOKEN")
    (codex,) = plan([BY_KEY["codex"]], replace(wish, how=how))
    assert 'bearer_token_env_var = "MY_TOKEN"' in diff(codex, "f")


def test_urls_are_checked() -> None:
    assert server_url("http://127.0.0.1:3000") == "http://127.0.0.1:3000/mcp"
    assert server_url("https://h/x?project=/a") == "https://h/x?project=/a"
    for wrong in (
        "",
        "h:3000",
        "ftp://h/",
        "http://",
        "http://u:p@h/mcp",
        "http://h:99999/",
        "http://h/a b",
        "http://h\n",
    ):
        with pytest.raises(ValidationError):
            server_url(wrong)


def test_the_page_names_every_file_and_entry() -> None:
    page = (Path(__file__).parents[2] / "docs" / "clients.md").read_text(encoding="utf-8")
    for client in CLIENTS:
        places = [client.project_file, client.user_file, client.project_rules, client.user_rules]
        assert f"--{client.key}`" in page
        assert [place.path for place in places if place is not None and place.path not in page] == []
        assert client.section in page


def test_a_large_file_is_left_alone(tmp_path: Path) -> None:
    path = tmp_path / "big.json"
    with path.open("wb") as stream:
        stream.truncate(files.MAX_FILE_BYTES + 1)
    with pytest.raises(ConfigurationError, match="too large"):
        files.read(path)
