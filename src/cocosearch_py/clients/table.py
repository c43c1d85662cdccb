"""Every client: its files, the form of its entries, and how it refers to an environment variable.

Data only; what a newer version of a client does otherwise is corrected here and nowhere else.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

Base = Literal["project", "home", "config", "applications", "claude", "claude-home", "codex"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Homes:
    """The user's folders, made from the environment by the front end."""

    home: Path
    config: Path  # XDG_CONFIG_HOME or ~/.config
    applications: Path  # where programs with windows keep their settings
    claude: Path  # Claude Code's folder: CLAUDE_CONFIG_DIR or ~/.claude
    claude_home: Path  # the folder of .claude.json: CLAUDE_CONFIG_DIR or ~
    codex: Path  # CODEX_HOME or ~/.codex


@dataclass(frozen=True, slots=True)
class Place:
    """A file below one of the folders."""

    base: Base
    path: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Client:
    """One client. A file that is None does not exist for it.

    `project_argument` is what stands for the project after `mcp` in a project's file, `user_argument` the same in the
    user's file; `{project}` becomes the absolute path. `url_key` None means that the file has no form for a URL.
    `markers` are files or folders that show that the client is used.
    """

    key: str
    title: str
    project_file: Place | None
    user_file: Place
    section: str
    toml: bool = False
    local_type: str | None = None
    url_key: str | None = "url"
    url_type: str | None = None
    variable: str = "${NAME}"
    project_argument: str = "--project-from-cwd"
    user_argument: str = "--project-from-cwd"
    variables_key: str | None = None  # names of variables that reach the server; others do not
    one_command_list: bool = False  # command and arguments are one list
    project_rules: Place | None = None
    user_rules: Place | None = None
    project_hooks: Place | None = None  # settings that take our reminder before a broad grep
    user_hooks: Place | None = None
    markers: tuple[Place, ...] = ()
    other_spellings: tuple[str, ...] = ()  # a file of that name is read instead of ours
    note: str = ""


def _in_project(path: str) -> Place:
    return Place("project", path)


_AGENTS = _in_project("AGENTS.md")

CLIENTS: tuple[Client, ...] = (
    Client(
        key="claude",
        title="Claude Code",
        project_file=_in_project(".mcp.json"),
        user_file=Place("claude-home", ".claude.json"),
        section="mcpServers",
        local_type="stdio",
        url_type="http",
        project_rules=_in_project("CLAUDE.md"),
        user_rules=Place("claude", "CLAUDE.md"),
        project_hooks=_in_project(".claude/settings.json"),
        user_hooks=Place("claude", "settings.json"),
        markers=(
            _in_project(".mcp.json"), _in_project(".claude"), _in_project("CLAUDE.md"),
            Place("claude", "."), Place("claude-home", ".claude.json"),
        ),
        note="Claude Code asks once for permission to start the servers in a project's .mcp.json",
    ),
    Client(
        key="claude-desktop",
        title="Claude Desktop",
        project_file=None,
        user_file=Place("applications", "Claude/claude_desktop_config.json"),
        section="mcpServers",
        url_key=None,
        user_argument="{project}",
        markers=(Place("applications", "Claude"),),
        note="restart Claude Desktop to start the server",
    ),
    Client(
        key="cursor",
        title="Cursor",
        project_file=_in_project(".cursor/mcp.json"),
        user_file=Place("home", ".cursor/mcp.json"),
        section="mcpServers",
        variable="${env:NAME}",
        project_argument="${workspaceFolder}",
        project_rules=_in_project(".cursor/rules/cocosearch.mdc"),
        markers=(_in_project(".cursor"), Place("home", ".cursor")),
    ),
    Client(
        key="vscode",
        title="VS Code",
        project_file=_in_project(".vscode/mcp.json"),
        user_file=Place("applications", "Code/User/mcp.json"),
        section="servers",
        local_type="stdio",
        url_type="http",
        variable="${env:NAME}",
        project_argument="${workspaceFolder}",
        project_rules=_AGENTS,
        markers=(_in_project(".vscode"), Place("applications", "Code")),
    ),
    Client(
        key="windsurf",
        title="Windsurf",
        project_file=_in_project(".windsurf/mcp.json"),
        user_file=Place("home", ".codeium/windsurf/mcp_config.json"),
        section="mcpServers",
        url_key="serverUrl",
        variable="${env:NAME}",
        project_argument="{project}",
        project_rules=_AGENTS,
        user_rules=Place("home", ".codeium/windsurf/memories/global_rules.md"),
        markers=(_in_project(".windsurf"), Place("home", ".codeium/windsurf")),
        note="versions of Windsurf that do not read .windsurf/mcp.json need --global",
    ),
    Client(
        key="codex",
        title="Codex",
        project_file=_in_project(".codex/config.toml"),
        user_file=Place("codex", "config.toml"),
        section="mcp_servers",
        toml=True,
        variables_key="env_vars",
        project_rules=_AGENTS,
        user_rules=Place("codex", "AGENTS.md"),
        markers=(_in_project(".codex"), Place("codex", ".")),
        note="Codex reads a project's .codex/config.toml only in projects you trust",
    ),
    Client(
        key="gemini",
        title="Gemini CLI",
        project_file=_in_project(".gemini/settings.json"),
        user_file=Place("home", ".gemini/settings.json"),
        section="mcpServers",
        url_key="httpUrl",
        project_rules=_in_project("GEMINI.md"),
        user_rules=Place("home", ".gemini/GEMINI.md"),
        markers=(_in_project(".gemini"), _in_project("GEMINI.md"), Place("home", ".gemini")),
    ),
    Client(
        key="opencode",
        title="OpenCode",
        project_file=_in_project("opencode.json"),
        user_file=Place("config", "opencode/opencode.json"),
        section="mcp",
        local_type="local",
        url_type="remote",
        variable="{env:NAME}",
        one_command_list=True,
        project_rules=_AGENTS,
        user_rules=Place("config", "opencode/AGENTS.md"),
        markers=(
            _in_project("opencode.json"), _in_project("opencode.jsonc"), _in_project(".opencode"),
            Place("config", "opencode"),
        ),
        other_spellings=("opencode.jsonc",),
    ),
)  # fmt: skip
BY_KEY = {client.key: client for client in CLIENTS}


def starting_files() -> tuple[str, ...]:
    """Ends of the paths of all files by which clients start programs, in lower case, '/' separated."""
    below = {"claude": ".claude/", "codex": ".codex/"}
    found = [".claude/settings.local.json"]  # which `init` leaves alone
    for client in CLIENTS:
        for place in (client.project_file, client.user_file, client.project_hooks, client.user_hooks):
            if place is not None:
                ends = [place.path, *(place.path.replace(Path(place.path).name, one) for one in client.other_spellings)]
                found += [f"{below.get(place.base, '')}{end}".lower() for end in ends]
    return tuple(dict.fromkeys(found))


def homes_of(environ: Mapping[str, str], home: Path, platform: str) -> Homes:
    """The folders that an environment names; `platform` as in `sys.platform`."""

    def named(variable: str, otherwise: Path) -> Path:
        path = Path(environ.get(variable, "").strip())
        return path if path.is_absolute() else otherwise

    config = named("XDG_CONFIG_HOME", home / ".config")
    by_platform = {
        "darwin": home / "Library" / "Application Support",
        "win32": named("APPDATA", home / "AppData" / "Roaming"),
    }
    return Homes(
        home=home,
        config=config,
        applications=by_platform.get(platform, config),
        claude=named("CLAUDE_CONFIG_DIR", home / ".claude"),
        claude_home=named("CLAUDE_CONFIG_DIR", home),
        codex=named("CODEX_HOME", home / ".codex"),
    )


def folder_of(base: Base, project: Path, homes: Homes) -> Path:
    """The folder that a place is below."""
    folders: dict[Base, Path] = {
        "project": project,
        "home": homes.home,
        "config": homes.config,
        "applications": homes.applications,
        "claude": homes.claude,
        "claude-home": homes.claude_home,
        "codex": homes.codex,
    }
    return folders[base]


def detected(project: Path, homes: Homes) -> list[Client]:
    """Clients of which a file or folder exists, in the table's order."""

    def exists(place: Place) -> bool:
        try:
            return (folder_of(place.base, project, homes) / place.path).exists()
        except OSError:
            return False

    return [client for client in CLIENTS if any(map(exists, client.markers))]
