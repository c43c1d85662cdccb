"""Files that start programs, or tell agents what to start: not edited unless the user's settings allow it.

Source code, build files and scripts are not among them: they run when somebody runs the project, and editing them is
the purpose of edits. A file is here if a program reads it unasked: when a folder is opened or entered, a commit is
made, a branch is pushed.
"""

import os
import re
from dataclasses import dataclass

from cocosearch_py.discovery.gitignore import PatternList
from cocosearch_py.discovery.rules import plain_name


@dataclass(frozen=True, slots=True)
class Starting:
    """Files of one kind.

    Attributes:
        reason: what starts programs, as the rest of "it is not edited: ...".
        paths: ends of paths, in lower case. One with "/" at its end is a folder, and means all below it. `*` is any
            part of a name.
    """

    reason: str
    paths: tuple[str, ...]


STARTING = (
    Starting(
        "editors run its tasks and debuggers, or load it when they start",
        (
            ".vscode/", "*.code-workspace", ".devcontainer/", ".devcontainer.json", ".vs/", ".idea/", ".run/",
            ".fleet/", ".zed/", ".helix/", "*.sublime-project", ".vim/", ".vimrc", "_vimrc", ".gvimrc", ".exrc",
            ".nvim/", ".nvimrc", ".nvim.lua", ".lvimrc", ".ideavimrc", ".emacs", ".emacs.d/", ".dir-locals.el",
            ".dir-locals-2.el", ".gitpod.yml",
        ),
    ),
    Starting(
        "agents read commands, hooks and instructions from it",
        (
            ".claude/", ".cursor/", ".cursorrules", ".gemini/", ".codex/", ".windsurf/", ".windsurfrules", ".opencode/",
            ".roo/", ".roomodes", ".clinerules", ".clinerules/", ".continue/", ".kiro/", ".amazonq/", ".junie/",
            ".qwen/", ".agents/", ".aider.conf.yml", ".github/agents/", ".github/hooks/", ".github/prompts/",
        ),
    ),
    Starting(
        "git hooks run it",
        (
            ".husky/", ".huskyrc*", ".githooks/", ".git-hooks/", ".pre-commit-config.y*ml", ".pre-commit-hooks.y*ml",
            "lefthook*.y*ml", "lefthook*.toml", "lefthook*.json", ".lefthook*.y*ml", ".lefthook*.toml",
            ".lefthook*.json", ".lefthook/", ".lefthook-local/", ".overcommit.yml", ".lintstagedrc*", ".gitmodules",
        ),
    ),
    Starting(
        "continuous integration runs it",
        (
            ".github/workflows/", ".github/actions/", ".gitea/workflows/", ".forgejo/workflows/", ".gitlab-ci*.y*ml",
            ".gitlab/ci/", ".circleci/", "azure-pipelines*.y*ml",
            ".azure-pipelines/", "jenkinsfile", "jenkinsfile.*", ".travis.yml", "appveyor.yml", ".appveyor.yml",
            "bitbucket-pipelines.yml", ".buildkite/", ".cirrus.yml", ".drone.yml", ".woodpecker*.y*ml", ".woodpecker/",
            ".semaphore/", ".teamcity/", ".tekton/", "cloudbuild.y*ml", "buildspec.y*ml",
        ),
    ),
    Starting(
        "shells and sessions run it when they start",
        (
            ".bashrc", ".bash_profile", ".bash_login", ".bash_logout", ".bash_aliases", ".profile", ".zshrc", ".zshenv",
            ".zprofile", ".zlogin", ".zlogout", ".kshrc", ".cshrc", ".tcshrc", ".login", ".inputrc", ".xprofile",
            ".xinitrc", ".xsession*", ".config/fish/", "*profile.ps1", ".config/autostart/", ".config/systemd/",
            ".tmux.conf", ".screenrc", ".direnv/", "mise.toml", "mise.*.toml", ".mise.toml", ".mise.*.toml",
            ".mise/", ".config/mise/",
        ),
    ),
    Starting(
        "debuggers and interpreters run it when they start",
        (
            ".gdbinit", ".lldbinit", ".pdbrc", ".irbrc", ".pryrc", ".ghci", ".rprofile", ".iex.exs", ".ocamlinit",
            ".psqlrc", ".sqliterc",
        ),
    ),
    Starting(
        "package managers run programs that it names",
        (
            ".yarnrc*", ".yarn/", ".pnpmfile.*", ".pnp.*", "bunfig.toml", ".cargo/", ".mvn/", "gradle/wrapper/",
        ),
    ),
)  # fmt: skip


def _as_expression(path: str) -> str:
    name = re.escape(path.removesuffix("/")).replace(r"\*", "[^/]*")
    return f"{name}/.*" if path.endswith("/") else name


_EXPRESSIONS = tuple(
    (re.compile(f"(?:.*/)?(?:{'|'.join(map(_as_expression, one.paths))})", re.DOTALL), one.reason) for one in STARTING
)


def plain_path(path: str) -> str:
    """Return a path as file systems that compare names loosely read it; see `plain_name`."""
    return "/".join(map(plain_name, path.split("/")))


def starting_reason(path: str) -> str | None:
    """Return why a file, relative to the root, starts programs; None if it does not."""
    plain = plain_path(path)
    return next((reason for expression, reason in _EXPRESSIONS if expression.fullmatch(plain)), None)


def is_allowed(path: str, allowed: PatternList) -> bool:
    """Report whether patterns of the user match a file, or a folder above it."""
    parts = os.fsencode(path).split(b"/")
    found = [allowed.match(b"/".join(parts[:end]), end < len(parts)) for end in range(1, len(parts) + 1)]
    decided = [one for one in found if one is not None]
    return bool(decided) and not decided[-1].negated
