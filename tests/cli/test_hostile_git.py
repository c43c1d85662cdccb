"""No command starts a program that a repository names, in whatever setting, attribute, hook or signature."""

import ast
import os
import shlex
import shutil
import subprocess
from hashlib import blake2b
from pathlib import Path

import pytest
from tests.forking import SOURCE
from tests.odd_trees import write

pytestmark = pytest.mark.skipif(os.name == "nt", reason="needs shell scripts")

# PROGRAM is a script that leaves a marker; MORE is a file with further settings.
SETTINGS = """
[core]
    repositoryformatversion = 1
    bare = false
    fsmonitor = PROGRAM
    hooksPath = HOOKS
    pager = PROGRAM
    editor = PROGRAM
    sshCommand = PROGRAM
    askPass = PROGRAM
    gitProxy = PROGRAM
    alternateRefsCommand = PROGRAM
[extensions]
    partialClone = origin
[log]
    showSignature = true
[gpg]
    program = PROGRAM
[gpg "openpgp"]
    program = PROGRAM
[gpg "x509"]
    program = PROGRAM
[gpg "ssh"]
    program = PROGRAM
    defaultKeyCommand = PROGRAM
    allowedSignersFile = PROGRAM
    revocationFile = PROGRAM
[commit]
    gpgSign = true
[diff]
    external = PROGRAM
    tool = evil
    orderFile = PROGRAM
[diff "evil"]
    command = PROGRAM
    textconv = PROGRAM
[difftool "evil"]
    cmd = PROGRAM
[merge]
    default = evil
    tool = evil
[merge "evil"]
    driver = PROGRAM
[mergetool "evil"]
    cmd = PROGRAM
[filter "evil"]
    clean = PROGRAM
    smudge = PROGRAM
    process = PROGRAM
    required = true
[credential]
    helper = !PROGRAM
[remote "origin"]
    url = ext::PROGRAM
    vcs = evil
    uploadpack = PROGRAM
    promisor = true
    partialCloneFilter = blob:none
[protocol "ext"]
    allow = always
[uploadpack]
    packObjectsHook = PROGRAM
[gc]
    recentObjectsHook = PROGRAM
[trailer "evil"]
    command = PROGRAM
    cmd = PROGRAM
[hook "evil"]
    command = PROGRAM
    event = post-index-change
[sequence]
    editor = PROGRAM
[interactive]
    diffFilter = PROGRAM
[browser "evil"]
    cmd = PROGRAM
[man "evil"]
    cmd = PROGRAM
[include]
    path = MORE
[submodule "inner"]
    update = !PROGRAM
    url = ext::PROGRAM
"""
COMMANDS_OF_GIT = (
    "cat-file check-ignore config diff-tree log ls-files ls-tree merge-base merge-file rev-list rev-parse show status"
).split()
HOOKS = "fsmonitor-watchman post-checkout post-index-change post-merge pre-auto-gc reference-transaction update".split()
SIGNATURES = ("PGP SIGNATURE", "SSH SIGNATURE", "SIGNED MESSAGE")
IDENTITY = ("-c", "user.name=Sample", "-c", "user.email=sample@example.org")

REPLACE = "-n evil --op replace --if-hash HASH --yes"
# Each module that starts git, with a command that makes it do so.
CALLERS = {
    "cli.doctor": "doctor",
    "discovery.blobs": "index REPO --rev HEAD~1 --name old",
    "discovery.commits": "index REPO --rev HEAD~2 --name older",
    "discovery.git": "hotspots -n evil --sort churn",
    "discovery.ignoring": "index REPO/ignored --name ignored",
    "discovery.revisions": "diff -n evil --since HEAD~2",
    "discovery.submodules": "read inner/app.py -n evil --rev HEAD~1",
    "editing.permission": f"patch REPO/kept.log {REPLACE} --old-text 'x = 1' --content 'x = 2'",
    "editing.undo": "patch REPO/app.py -n evil --op undo --seq 1 --yes",
    "features.evaluate.history": "eval -n evil",
    "features.wiki.status": "wiki status -n evil",
}
OTHERS = (
    "index REPO --name evil --fresh", "index REPO --dry-run", "search open_till -n evil", "grep open_till -n evil",
    "why REPO/made.log -n evil", "why REPO/app.py -n evil", "status --name evil --files", "stats evil", "list",
    "changes -n evil", "changes -n evil --since-ref HEAD~2", "diff -n evil --since HEAD~2 --to HEAD --impact",
    "search open_till -n evil --rev HEAD~1", "read app.py -n evil --rev HEAD~1", "read app.py -n evil",
    "health -n evil", "audit -n evil --include dead-code,secrets,duplicates --since HEAD~2",
    "tests -n evil --since HEAD~2", "context open_till -n evil", "map -n evil", "ask open_till -n evil",
    "members evil", "export evil --output REPO/../evil.bundle",
)  # fmt: skip


def git(folder: Path, *arguments: str, stdin: str | None = None) -> str:
    done = subprocess.run(
        ["git", *IDENTITY, *arguments], cwd=folder, input=stdin, check=True, capture_output=True, text=True
    )
    return done.stdout.strip()


def sign(folder: Path, kind: str) -> None:
    """Put a signature, which is none, into the latest commit."""
    head, _, message = git(folder, "cat-file", "commit", "HEAD").partition("\n\n")
    lines = (f"gpgsig -----BEGIN {kind}-----", "", "iQEzBAABCAAdFiEE", f"-----END {kind}-----")
    text = f"{head}\n" + "\n ".join(lines) + f"\n\n{message}\n"
    git(folder, "update-ref", "HEAD", git(folder, "hash-object", "-t", "commit", "-w", "--stdin", stdin=text))


@pytest.fixture(scope="module")
def hostile(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A repository that names a program wherever git takes one; the program writes `marker` beside it."""
    place = tmp_path_factory.mktemp("hostile")
    program, hooks, more, repository = place / "program", place / "hooks", place / "more", place / "repository"
    program.write_text(f"#!/bin/sh\necho \"$0 $*\" >> '{place}/marker'\n")
    program.chmod(0o755)
    lines = [f"line_{number} = {number}" for number in range(20)]
    write(
        repository,
        {
            "app.py": "\n".join(["def open_till(key):", "    return key", *lines, ""]),
            "test_app.py": "from app import open_till\n\ndef test_open_till():\n    assert open_till(1)\n",
            "made.log": "x\n", "kept.log": "x = 1\n", "ignored/a.py": "a = 1\n",
            ".gitignore": "*.log\n/ignored/\n", ".gitattributes": "* filter=evil diff=evil merge=evil text\n",
            ".gitmodules": '[submodule "inner"]\n\tpath = inner\n\turl = ../inner\n',
            ".mailmap": "Other <other@example.org> Sample <sample@example.org>\n",
        },
    )  # fmt: skip
    git(repository, "init", "-q", "-b", "main")
    git(repository, "add", ".")
    git(repository, "add", "-f", "kept.log")
    git(repository, "commit", "-qm", "Fix: first files of the program")
    (repository / "inner").mkdir()
    git(repository, "update-index", "--add", "--cacheinfo", f"160000,{git(repository, 'rev-parse', 'HEAD')},inner")
    for number, kind in enumerate(SIGNATURES):
        with (repository / "app.py").open("a") as file:
            file.write(f"\ndef turn_{number}(key):\n    return open_till(key)\n")
        git(repository, "commit", "-qam", f"fix: turn the key {number} times (#{number + 1})")
        sign(repository, kind)
    git(repository, "clone", "-q", "--bare", str(repository), str(repository / ".git" / "modules" / "inner"))
    tree = git(repository, "mktree", "--missing", stdin=f"100644 blob {'1' * 40}\tlost.py\n")  # git would fetch it
    git(repository, "branch", "partial", git(repository, "commit-tree", "-m", "lost", tree))
    (repository / ".git" / "info" / "attributes").write_text("* filter=evil diff=evil merge=evil\n")
    for folder in (hooks, repository / ".git" / "hooks"):
        folder.mkdir(exist_ok=True)
        for name in HOOKS:
            shutil.copy(program, folder / name)
    more.write_text(f"[gpg]\n\tprogram = {program}\n[log]\n\tshowSignature = true\n")
    aliases = "[alias]\n" + "".join(f"    {name} = !{program}\n" for name in COMMANDS_OF_GIT)
    pagers = "[pager]\n" + "".join(f"    {name} = {program}\n" for name in COMMANDS_OF_GIT)
    words = {"PROGRAM": program, "HOOKS": hooks, "MORE": more}
    text = SETTINGS + aliases + pagers
    for word, path in words.items():
        text = text.replace(word, str(path))
    (repository / ".git" / "config").write_text(text)
    os.utime(repository / "app.py", (1, 1))  # git would like to refresh its index, with filters
    return repository


def run_all(cli, hostile, tmp_path, commands):
    """Run commands with a git that writes down what it is asked; returns its commands."""
    log, counting = tmp_path / "asked", tmp_path / "counting"
    counting.mkdir()
    (counting / "git").write_text(f"#!/bin/sh\necho \"$*\" >> '{log}'\nexec '{shutil.which('git')}' \"$@\"\n")
    (counting / "git").chmod(0o755)
    env = {"PATH": f"{counting}:{os.environ['PATH']}", "PAGER": str(hostile.parent / "program")}
    for command in commands:
        arguments = shlex.split(command.replace("REPO", str(hostile)))
        if "HASH" in arguments:
            arguments[arguments.index("HASH")] = blake2b(Path(arguments[1]).read_bytes(), digest_size=16).hexdigest()
        cli(*arguments, cwd=hostile, env=env)
    return [line.split("safe.directory=* ")[1].split()[0] for line in log.read_text().splitlines()]


def test_the_repository_would_start_its_program(hostile):
    """Plain git does: without this the other test would prove nothing."""
    marker = hostile.parent / "marker"
    for command in (["log"], ["status"], ["show", "partial:lost.py"], ["diff"], ["ls-files", "-m"]):
        subprocess.run(["git", *IDENTITY, *command], cwd=hostile, check=False, capture_output=True)
        assert marker.exists(), command
        marker.unlink()


def test_no_command_starts_a_program_that_a_repository_names(cli, hostile, tmp_path):
    program, marker = hostile.parent / "program", hostile.parent / "marker"
    before = (hostile / ".git" / "index").read_bytes()
    prepare = (
        "index REPO --name evil",
        "wiki generate -n evil",
        "wiki write till 'The till opens.' --title Till -n evil",
        f"patch REPO/app.py {REPLACE} --old-text 'def open_till(key):' --content 'def open_till(key, door):'",
        f"patch REPO/app.py {REPLACE} --old-text 'line_12 = 12' --content 'line_12 = 13'",
    )
    asked = run_all(cli, hostile, tmp_path, [*prepare, *CALLERS.values(), *OTHERS])
    assert "git lacks files" in cli("index", hostile, "--rev", "partial", code=1).error["error"]
    assert not marker.exists(), marker.read_text()
    assert set(asked) >= {*COMMANDS_OF_GIT, "--version"} - {"merge-base", "status"}
    assert (hostile / ".git" / "index").read_bytes() == before
    assert program.exists()


def test_every_module_that_starts_git_has_a_command_here():
    found = set()
    for path in SOURCE.rglob("*.py"):
        tree = ast.parse(path.read_text(encoding="utf-8"))
        called = {
            node.func.id for node in ast.walk(tree) if isinstance(node, ast.Call) and isinstance(node.func, ast.Name)
        }
        if called & {"run_git", "open_git"}:
            found.add(".".join(path.relative_to(SOURCE / "cocosearch_py").with_suffix("").parts))
    assert found == set(CALLERS)
