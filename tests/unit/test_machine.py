"""How many processes fit: a container's CPU quota counts, not only its processors."""

from pathlib import Path

import pytest

from cocosearch_py.model import machine
from cocosearch_py.model.machine import speed, usable_cores


def system(top: Path, group: str, files: dict[str, str]) -> Path:
    for name, text in {
        "proc/self/cgroup": group,
        **{f"sys/fs/cgroup/{name}": text for name, text in files.items()},
    }.items():
        (top / name).parent.mkdir(parents=True, exist_ok=True)
        (top / name).write_text(text + "\n")
    return top


V1 = "12:memory:/a\n4:cpu,cpuacct:/docker/abc\n0::/"


@pytest.mark.parametrize(
    ("group", "files"),
    [
        ("0::/", {"cpu.max": "100000 100000"}),
        ("0::/", {"cpu.max": "20000 100000"}),
        ("0::/user/a b", {"user/a b/cpu.max": "max 100000", "user/cpu.max": "90000 100000"}),
        (V1, {"cpu/docker/abc/cpu.cfs_quota_us": "50000", "cpu/docker/abc/cpu.cfs_period_us": "100000"}),
        (V1, {"cpu/cpu.cfs_quota_us": "50000", "cpu/cpu.cfs_period_us": "50000"}),  # a container's own view
    ],
)
def test_a_quota_of_one_processor(tmp_path: Path, group: str, files: dict[str, str]) -> None:
    assert usable_cores(system(tmp_path, group, files)) == 1


@pytest.mark.parametrize(
    ("group", "files"),
    [
        ("0::/", {}),
        ("0::/", {"cpu.max": "max 100000"}),
        ("0::/", {"cpu.max": "99999900000 100000"}),
        ("0::/", {"cpu.max": "garbage"}),
        ("0::/", {"cpu.max": ""}),
        (V1, {"cpu/docker/abc/cpu.cfs_quota_us": "-1", "cpu/docker/abc/cpu.cfs_period_us": "100000"}),
        ("", {}),
    ],
)
def test_no_quota_below_the_processors(tmp_path: Path, group: str, files: dict[str, str]) -> None:
    assert usable_cores(system(tmp_path, group, files)) == usable_cores(tmp_path / "no such system")


def test_a_quota_is_rounded_up(tmp_path: Path) -> None:
    most = usable_cores(tmp_path / "no such system")
    assert usable_cores(system(tmp_path, "0::/", {"cpu.max": "110000 100000"})) == min(2, most)


def test_speed_is_that_of_the_best_sample(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(machine, "repeat", lambda *_, **__: [0.009, 0.0004, 0.0005])
    assert speed() == 0.5
