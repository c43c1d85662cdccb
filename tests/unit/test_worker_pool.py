"""Worker processes that end at bad moments: nothing waits for them, and no file but the guilty one is lost."""

import multiprocessing
import os
import pickle
import signal
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import nullcontext
from pathlib import Path
from pickle import UnpicklingError
from queue import SimpleQueue
from typing import Any

import psutil
import pytest

import cocosearch_py
from cocosearch_py.indexing import scratch, worker
from cocosearch_py.indexing.options import ContentOptions
from cocosearch_py.indexing.pool import WorkerPool
from cocosearch_py.indexing.prepare import PreparedBatch
from cocosearch_py.indexing.tasks import BatchTask, FileTask
from cocosearch_py.model.paths import file_id_of
from cocosearch_py.server import processes
from cocosearch_py.storage.server.locks import try_lock

PATIENCE_S = 300.0  # a busy machine takes minutes for what is done in seconds; only a hang takes all of it
SOURCE = str(Path(cocosearch_py.__file__).parents[1])


@pytest.fixture
def tasks(tmp_path: Path) -> list[BatchTask]:
    """Eight batches of two files whose rows fill a pipe many times over."""
    made = []
    for number in range(8):
        files = []
        for name in (f"a{number}.py", f"b{number}.py"):
            text = "".join(f"def function_{number}_{step}():\n    return value_{step}\n" for step in range(4000))
            (tmp_path / name).write_text(text)
            status = (tmp_path / name).stat()
            files.append(FileTask(name, name, file_id_of(name), status.st_size, status.st_mtime_ns))
        made.append(BatchTask(str(tmp_path), 1, tuple(files), ContentOptions()))
    return made


@pytest.fixture
def pool() -> Iterator[WorkerPool]:
    made = WorkerPool(2, None)
    yield made
    made.close()


@pytest.mark.slow
def test_giving_up_in_the_middle_of_results_ends_at_once(pool: WorkerPool, tasks: list[BatchTask]) -> None:
    """As a run does whose database has gone."""

    def give_up() -> None:
        for _ in range(10):
            results = pool.run(iter(tasks))
            next(results)
            results.close()  # type: ignore[attr-defined]
            pool.close()

    with ThreadPoolExecutor(1) as thread:
        thread.submit(give_up).result(PATIENCE_S)
    assert not multiprocessing.active_children()


@pytest.mark.slow
@pytest.mark.parametrize("request_to_end", [signal.SIGKILL, signal.SIGTERM])
def test_workers_that_die_in_the_middle_of_results(
    pool: WorkerPool, tasks: list[BatchTask], request_to_end: signal.Signals
) -> None:
    names = []
    for number, (task, batch) in enumerate(pool.run(iter(tasks))):
        assert isinstance(batch, PreparedBatch)
        names += [file.path for file in task.files]
        if number == 0:
            os.kill(multiprocessing.active_children()[0].pid or 0, request_to_end)
    assert sorted(names) == sorted(file.path for task in tasks for file in task.files)


@pytest.mark.slow
def test_a_caller_that_waits_for_workers_is_called_meanwhile(pool: WorkerPool, tasks: list[BatchTask]) -> None:
    calls: list[None] = []
    idle_s = 0.001  # a batch takes a hundred times as long
    assert len(list(pool.run(iter(tasks), idle=lambda: calls.append(None), idle_s=idle_s))) == len(tasks)
    assert calls


@pytest.mark.slow
def test_workers_are_used_again_where_there_are_threads(pool: WorkerPool, tasks: list[BatchTask]) -> None:
    def workers_after_a_run() -> set[int | None]:
        assert all(isinstance(batch, PreparedBatch) for _, batch in pool.run(iter(tasks)))
        return {process.pid for process in multiprocessing.active_children()}

    with ThreadPoolExecutor(1) as thread:
        first = thread.submit(workers_after_a_run).result()
        assert len(first) == 2
        assert thread.submit(workers_after_a_run).result() == first


def test_workers_that_were_killed_without_work_cost_no_file(pool: WorkerPool, tmp_path: Path) -> None:
    (tmp_path / "a.py").write_text("a = 1\n")
    task = BatchTask(str(tmp_path), 1, (FileTask("a.py", "a.py", 1, 6, 1),), ContentOptions())
    assert len(list(pool.run([task] * 4))) == 4
    workers = multiprocessing.active_children()
    assert len(workers) == 2
    for process in workers:
        process.kill()
        process.join()
    assert [type(batch) for _, batch in pool.run([task])] == [PreparedBatch]


WITH_A_THREAD = """
import threading
threading.Thread(target=threading.Event().wait, daemon=True).start()
"""
PROGRAM = """
import sys
from cocosearch_py.indexing.options import ContentOptions
from cocosearch_py.indexing.pool import WorkerPool
from cocosearch_py.indexing.tasks import BatchTask
pool = WorkerPool(1, None)
for _ in pool.run([BatchTask("/", 1, (), ContentOptions())]):
    print("done", flush=True)
    sys.stdin.read()
"""


def started(folder: Path, program: str) -> "subprocess.Popen[str]":
    process = subprocess.Popen(
        [sys.executable, "-c", program],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        env={**os.environ, "PYTHONPATH": SOURCE, "TMPDIR": str(folder)},
    )
    assert process.stdout is not None
    assert process.stdout.readline() == "done\n"
    return process


@pytest.mark.slow
def test_temporary_folders_of_killed_programs_are_swept() -> None:
    with tempfile.TemporaryDirectory(prefix="cs-scratch-") as name:
        top = Path(name)
        with started(top, WITH_A_THREAD + PROGRAM) as killed:
            assert [path.name.startswith("cocosearch-workers-") for path in top.iterdir()] == [True]
            killed.kill()
        (left,) = top.iterdir()
        os.utime(left, (1, 1))
        with started(top, WITH_A_THREAD + PROGRAM) as kept:
            (folder,) = top.iterdir()
            assert folder != left
            os.utime(folder, (1, 1))
            scratch.sweep(top)
            assert folder.exists()
            kept.communicate()
        assert not list(top.iterdir())


FORKING = """
import multiprocessing, os, sys
from multiprocessing import forkserver
from cocosearch_py.indexing.options import ContentOptions, WorkerLimits
from cocosearch_py.indexing.pool import WorkerPool, _Worker
from cocosearch_py.indexing.tasks import BatchTask, FileTask
from cocosearch_py.model.paths import file_id_of
from cocosearch_py.parsing.parsers import load_grammar
reader, writer = os.pipe()
files = [tuple([FileTask(name, name, file_id_of(name), 1, 1)]) for name in sys.argv[1:]]
pool = WorkerPool(2, None)
tasks = [BatchTask(os.getcwd(), 1, one, ContentOptions()) for one in files]
many = iter(tasks * 4)
for _, batch in pool.run(many, languages=lambda: ["python"]):
    if writer is not None:
        print("not taken yet:", next(many, None) is not None)
        os.close(writer)
        writer = None
        print("inherited:", os.read(reader, 1))
    print("indexed:", batch.indexed, batch.symbols)
kept = {child.pid for child in multiprocessing.active_children()}
for _, batch in pool.run(tasks):
    print("again:", batch.indexed, batch.symbols)
print("kept:", {child.pid for child in multiprocessing.active_children()} == kept, len(kept))
pool.close()
print("left:", multiprocessing.active_children(), forkserver._forkserver._forkserver_pid)
print("parsers:", load_grammar.cache_info().currsize)
"""


@pytest.mark.slow
@pytest.mark.skipif(sys.platform != "linux", reason="forks on Linux only")
def test_a_program_without_threads_forks_its_workers(tmp_path: Path) -> None:
    """They hold nothing of it open, know its grammars, and are kept for the next run; no fork server is started.

    Tasks are taken as they are handed out: of a large folder they are many.
    """
    for name in ("a.py", "b.py"):
        (tmp_path / name).write_text("def one(): pass\n")
    environment = {**os.environ, "PYTHONPATH": SOURCE}
    command = [sys.executable, "-c", FORKING, "a.py", "b.py"]
    done = subprocess.run(
        command, cwd=tmp_path, env=environment, capture_output=True, text=True, timeout=PATIENCE_S, check=True
    )
    assert done.stdout.splitlines() == [
        *("not taken yet: True", "inherited: b''", *["indexed: 1 1"] * 7),
        *("again: 1 1", "again: 1 1", "kept: True 2"),
        *("left: [] None", "parsers: 1"),
    ]


RENEWING = """
import os, sys
from dataclasses import replace
from cocosearch_py.indexing import words
from cocosearch_py.indexing.options import ContentOptions
from cocosearch_py.indexing.pool import WorkerPool
from cocosearch_py.indexing.tasks import BatchTask, FileTask
words._MAX_WORDS = 0
pool, made = WorkerPool(2, None), []
fork = pool._fork
pool._fork = lambda memory_bytes: made.append(fork(memory_bytes)) or made[-1]
tasks = [BatchTask(os.getcwd(), 1, (FileTask("a.py", "a.py", number, 1, 1),), ContentOptions()) for number in range(6)]
for renews in (True, False):
    results = list(pool.run([replace(task, renews=renews) for task in tasks]))
    print(sorted(task.files[0].file_id for task, _ in results), {batch.indexed for _, batch in results})
    print("processes:", len({worker.process.pid for worker in made}))
pool.close()
"""


@pytest.mark.slow
@pytest.mark.skipif(sys.platform != "linux", reason="forks on Linux only")
def test_forked_workers_give_way_to_new_ones_instead_of_forgetting_words(tmp_path: Path) -> None:
    """And no task is lost or done twice: each has a process of its own here. They do so only for tasks that say it."""
    (tmp_path / "a.py").write_text("def one(): pass\n")
    environment = {**os.environ, "PYTHONPATH": SOURCE}
    command = [sys.executable, "-c", RENEWING]
    done = subprocess.run(
        command, cwd=tmp_path, env=environment, capture_output=True, text=True, timeout=PATIENCE_S, check=True
    )
    each = "[0, 1, 2, 3, 4, 5] {1}"
    assert done.stdout.splitlines() == [each, "processes: 6", each, "processes: 8"]


@pytest.mark.slow
@pytest.mark.skipif(sys.platform != "linux", reason="forks on Linux only")
def test_forked_workers_end_with_a_killed_program(tmp_path: Path) -> None:
    with started(tmp_path, PROGRAM) as killed:
        children = psutil.Process(killed.pid).children()
        assert len(children) == 1
        killed.kill()
        assert psutil.wait_procs(children, PATIENCE_S)[1] == []


def _exhaust() -> None:
    raise MemoryError


class _TooLarge:
    """What takes more memory to read than there is."""

    def __reduce__(self) -> Any:
        return _exhaust, ()


@pytest.mark.parametrize(("said", "error", "code"), [(b"?", UnpicklingError, 1), (None, None, worker.EXIT_MEMORY)])
def test_a_worker_that_cannot_read_its_tasks_ends(
    monkeypatch: pytest.MonkeyPatch, said: bytes | None, error: type[Exception] | None, code: int
) -> None:
    """Nobody else would notice that the thread which reads them is gone."""
    ours, theirs = multiprocessing.Pipe()
    ended: list[int] = []
    monkeypatch.setattr(os, "_exit", ended.append)
    with ours, theirs, pytest.raises(error) if error else nullcontext():
        ours.send_bytes(said or pickle.dumps(_TooLarge()))
        worker._receive(theirs, SimpleQueue())
    assert ended == [code]


def test_a_process_that_cannot_read_its_questions_ends() -> None:
    ours, theirs = multiprocessing.Pipe()
    asked: SimpleQueue[Any] = SimpleQueue()
    with ours, theirs, pytest.raises(UnpicklingError):
        ours.send_bytes(b"?")
        processes._receive(theirs, asked)
    assert asked.get_nowait() is None


def test_a_folder_that_is_new_is_left_to_its_maker(tmp_path: Path) -> None:
    folder = tmp_path / "cocosearch-workers-new"
    folder.mkdir()
    scratch.sweep(tmp_path)
    assert folder.exists()
    held = try_lock(folder / "lock", hold=True)
    assert held is not None
    os.utime(folder, (1, 1))
    scratch.sweep(tmp_path)
    assert folder.exists()
    os.close(held)
    os.utime(folder, (1, 1))
    scratch.sweep(tmp_path)
    assert not folder.exists()


_SIGNALLED = """
import os, signal, sys
from cocosearch_py.indexing.pool import WorkerPool

def end(*_):
    sys.exit("ended")

signal.signal(signal.SIGTERM, end)
os.register_at_fork(before=lambda: os.kill(os.getpid(), signal.SIGTERM))  # what is raised there is lost
WorkerPool(1, None)._fork(2**31)
print("went on")
"""


@pytest.mark.skipif(sys.platform != "linux", reason="workers are forked on Linux only")
def test_a_signal_in_the_midst_of_a_fork_is_not_lost() -> None:
    environment = {**os.environ, "PYTHONPATH": SOURCE}
    command = [sys.executable, "-c", _SIGNALLED]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=PATIENCE_S, check=False)
    assert (done.returncode, done.stdout, done.stderr) == (1, "", "ended\n")
