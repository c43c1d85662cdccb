"""Indexes have everything: the ledger beside the disk, indexes of commits beside those of folders."""

import os
import subprocess
from pathlib import Path
from typing import Annotated, Any

from benchmarks.frame import Folders, benchmark, report_faults
from benchmarks.product import Product, differences, index_number, table_rows
from benchmarks.rows import Figures

VERSION_CONTROL = {".git", ".hg", ".svn", ".jj", ".bzr"}


@benchmark
def ledger(product: Product, folders: Folders) -> Figures:
    """Every file on the disk is indexed or skipped with a reason, and chunks add up to their file."""
    faults, files, chunks = [], 0, 0
    for number, folder in enumerate(folders):
        name = f"{number}-{folder.name}"
        stats = product.index(folder, name)
        on_disk = count_on_disk(folder)
        reported = sum(stats[f"files_{outcome}"] for outcome in ("added", "skipped", "failed"))
        with product.connect() as connection:
            row = connection.execute(
                "SELECT count(*) FROM cocosearch_py.files WHERE index_id = %s", [index_number(connection, name)]
            ).fetchone()
            broken = _broken_files(connection, name, folder)
        listed = row[0] if row else 0
        if {listed, reported} != {on_disk}:
            faults.append(f"{folder.name}: {on_disk} files on disk, {listed} in the ledger, {reported} in the report")
        faults += [f"{folder.name}: the chunks of {path} do not add up to it" for path in broken]
        files, chunks = files + on_disk, chunks + stats["chunks"]
    return {"folders": len(folders), "files": files, "chunks": chunks, "faults": report_faults(faults)}


def count_on_disk(root: Path) -> int:
    """Files, links and special files below a folder, without those of version control."""
    total = 0
    for parent, folders, files in os.walk(root):
        links = [name for name in folders if name != ".git" and (Path(parent) / name).is_symlink()]
        folders[:] = [name for name in folders if name not in VERSION_CONTROL and name not in links]
        total += len([name for name in files if name != ".git"]) + len(links)
    return total


def _broken_files(connection: Any, name: str, root: Path) -> list[str]:
    """Indexed UTF-8 files whose chunks do not give the file back."""
    query = """
        SELECT f.path, string_agg(c.content, '' ORDER BY c.chunk_no)
        FROM cocosearch_py.files f JOIN cocosearch_py.chunks c USING (index_id, file_id)
        WHERE f.index_id = %s AND f.encoding = 'utf-8' GROUP BY f.path
    """
    broken = []
    for path, content in connection.execute(query, [index_number(connection, name)]):
        if not (root / path).is_file():  # a name that is no UTF-8 is stored escaped
            continue
        disk = (root / path).read_bytes().decode("utf-8", "replace").removeprefix("\ufeff").replace("\0", "")
        if disk != content and "\ufffd" not in disk:
            broken.append(path)
    return broken


@benchmark
def revisions(
    product: Product, folders: Folders, *, back: Annotated[int, "first parents before the newest commit"] = 20
) -> Figures:
    """The index of a commit equals, row by row, that of a worktree; folders are git repositories, also bare ones.

    The commit is indexed alone, and again beside the worktree's index, whose rows it then copies. Repositories in
    which git changes files at checkout (ends of lines, LFS) differ on purpose.
    """
    faults: list[str] = []
    figures: Figures = {"commits": 0, "files": 0}
    for number, folder in enumerate(folders):
        clone = product.scratch / f"clone-{number}"
        _git(product.scratch, "clone", "-q", "--shared", "--no-checkout", str(folder.resolve()), str(clone))
        for revision in ("HEAD", f"HEAD~{back}"):
            commit = _git(clone, "rev-parse", revision)
            tree = product.scratch / f"tree-{number}-{commit[:9]}"
            _git(clone, "worktree", "add", "--detach", str(tree), commit)
            alone = product.run("index", clone, "--name", "alone", "--rev", commit, "--yes")["index_name"]
            with product.connect() as connection:
                of_commit = table_rows(connection, alone)
            product.run("clear", alone, "--yes")
            stats = product.index(tree, "tree")
            copied = product.run("index", clone, "--name", "copied", "--rev", commit, "--yes")["index_name"]
            with product.connect() as connection:
                of_tree, of_copy = table_rows(connection, "tree"), table_rows(connection, copied)
            faults += [f"{folder.name} {commit[:9]}: {text}" for text in differences(of_commit, of_tree)]
            faults += [f"{folder.name} {commit[:9]}, copied: {text}" for text in differences(of_copy, of_tree)]
            figures["commits"] = int(figures["commits"] or 0) + 1
            figures["files"] = int(figures["files"] or 0) + stats["files_added"]
            for name in ("tree", copied):
                product.run("clear", name, "--yes")
    return figures | {"faults": report_faults(faults)}


def _git(folder: Path, *arguments: str) -> str:
    environment = {**os.environ, "GIT_NO_LAZY_FETCH": "1", "GIT_LFS_SKIP_SMUDGE": "1"}
    done = subprocess.run(["git", *arguments], cwd=folder, env=environment, check=True, capture_output=True, text=True)
    return done.stdout.strip()
