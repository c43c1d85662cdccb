"""Trees that no author would write, made for tests: every kind of entry that a folder can hold."""

import os
import random
import socket
import stat
import subprocess
from contextlib import suppress
from pathlib import Path

VERSION_CONTROL = frozenset({".git", ".hg", ".svn", ".jj", ".bzr"})


def files_below(root: Path) -> int:
    """Everything below a folder that is no folder; links count, what version control systems keep does not."""
    total = 0
    for parent, folders, files in os.walk(root):
        links = [name for name in folders if name != ".git" and os.path.islink(os.path.join(parent, name))]
        folders[:] = [name for name in folders if name not in VERSION_CONTROL and name not in links]
        total += len(links) + sum(name != ".git" for name in files)
    return total


def git(folder: Path, *arguments: str) -> None:
    """Run git with an identity."""
    identity = ["-c", "user.name=n", "-c", "user.email=n@example.org"]
    subprocess.run(["git", *identity, *arguments], cwd=folder, check=True, capture_output=True)


def write(folder: Path, files: dict[str, str]) -> None:
    """Write files and the folders that they are in."""
    for path, text in files.items():
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_text(text)


def odd_tree(root: Path, *, repository: bool) -> None:
    """Ignored, excluded and generated folders, other repositories, links in circles, special files, odd names."""
    write(
        root,
        {
            ".gitignore": "build/\n*.log\n/out/*\n!/out/kept.py\n",
            "src/a.py": "def a(): ...\n",
            "src/b.log": "log\n",
            "src/.gitignore": "made_*\n",
            "src/made_1.py": "x = 1\n",
            "src/deep/er/and/deeper/c.py": "def c(): ...\n",
            "out/kept.py": "kept = 1\n",
            "out/gone.py": "gone = 1\n",
            "build/x/1.py": "x = 1\n",
            "build/x/y/2.py": "x = 2\n",
            "node_modules/p/index.js": "x\n",
            "node_modules/p/.hg/store": "history\n",
            "cache/CACHEDIR.TAG": "Signature: 8a477f597d28d172789f06886806bc55\n",
            "cache/a": "a\n",
            "cache/b/c": "c\n",
            ".svn/entries": "history\n",
            "vendor/.hg": "a file with the name of a folder\n",
            "web/app.min.js": "x\n",
            "web/empty.css": "",
            "web/package-lock.json": "{}\n",
            "id_rsa": "secret\n",
        },
    )
    (root / "large.py").write_bytes(b"x = 1\n" * 400_000)
    (root / "binary.dat").write_bytes(bytes(range(256)) * 40)
    write(root / "other", {"inner.py": "inner = 1\n", "sub/inner.py": "inner = 2\n"})
    git(root / "other", "init", "-q")
    _links(root)
    special_files(root / "special")
    every_byte(root / "names")
    if repository:
        git(root, "init", "-q", "-b", "main")
        git(root, "add", "-f", "src/a.py", "build/x/1.py")
        git(root, "commit", "-q", "-m", "first")


def _links(root: Path) -> None:
    folder = root / "links"
    folder.mkdir()
    for name, target in {
        "circle": "..",
        "itself": "itself",
        "ping": "pong",
        "pong": "ping",
        "nowhere": "/nonexistent/file",
        "file.py": "../src/a.py",
        "folder": "../src",
        ".git": "../src",
    }.items():
        (folder / name).symlink_to(target)
    (root / "build/up").symlink_to(root)
    os.link(root / "src/a.py", root / "src/same.py")


def special_files(folder: Path) -> None:
    """Pipes, a socket, devices where the system lets us make them, and a sparse giant."""
    folder.mkdir()
    os.mkfifo(folder / "pipe.py")
    here = Path.cwd()
    os.chdir(folder)  # a socket's path has at most 107 bytes
    try:
        with socket.socket(socket.AF_UNIX) as opened:
            opened.bind("socket.py")
    finally:
        os.chdir(here)
    for name, number in (("null.py", os.makedev(1, 3)), ("zero.py", os.makedev(1, 5))):
        with suppress(PermissionError):
            os.mknod(folder / name, stat.S_IFCHR | 0o666, number)
    with (folder / "giant.py").open("wb") as giant:
        giant.truncate(2**40)


def every_byte(folder: Path) -> None:
    """One file for each byte that a name can hold, alone and in a word, and names that are no UTF-8."""
    folder.mkdir()
    encoded = os.fsencode(folder)
    names = [bytes([byte]) for byte in range(1, 256) if byte not in b"/."]
    names += [b"x" + name + b".py" for name in names]
    names += [b"\xf0\x28.py", b"\\xff.py", b"\xff.py", b"a" * 255, "é".encode() * 100, b"..."]
    for name in names:
        with open(os.path.join(encoded, name), "wb") as file:
            file.write(b"named = 1\n")


def churn(root: Path, seed: int) -> None:
    """Change a tree: files go, come, grow, become folders, folders become links."""
    chance = random.Random(seed)
    files = sorted(
        path for path in root.rglob("*") if path.is_file() and not path.is_symlink() and ".git" not in str(path)
    )
    for path in chance.sample(files, min(len(files), 12)):
        kind = chance.randrange(4)
        path.unlink()
        if kind == 0:
            path.mkdir()
            (path / "inside.py").write_text("inside = 1\n")
        elif kind == 1:
            path.write_bytes(chance.randbytes(chance.randrange(400)))
        elif kind == 2:
            path.symlink_to("nowhere")
