"""What stands more than once, compared with a search that looks at every pair of places."""

import random
from pathlib import Path

import numpy as np

from cocosearch_py.discovery.reading import FolderReader
from cocosearch_py.features.audit.duplicates.places import Clone, find_clones
from cocosearch_py.features.audit.duplicates.repeats import find_repeats
from cocosearch_py.features.audit.duplicates.stream import StreamBuilder
from cocosearch_py.parsing.tokens import tokens

_CHANCE = random.Random(11)


def _statements(count: int, names: int = 40) -> list[str]:
    """Lines of Python in which hardly two are alike."""
    pick = lambda: f"name_{_CHANCE.randrange(names)}"  # noqa: E731
    forms = (
        lambda: f"{pick()} = {pick()}({pick()}, {_CHANCE.randrange(1000)})",
        lambda: f"if {pick()} > {_CHANCE.randrange(1000)}: {pick()}.append({pick()})",
        lambda: f"for {pick()} in {pick()}: {pick()} += {pick()}[{_CHANCE.randrange(99)}]",
        lambda: f"assert not {pick()} or {pick()} is None, '{_CHANCE.randrange(10**6)}'",
    )
    return [_CHANCE.choice(forms)() for _ in range(count)]


def _find(folder: Path, texts: dict[str, str], language_id: str = "python") -> list[Clone]:
    for path, text in texts.items():
        (folder / path).write_text(text, encoding="utf-8")
    with FolderReader(str(folder.resolve()), 2**21) as reader:
        return find_clones(reader, [(path, language_id) for path in sorted(texts)]).clones


def _lines(clone: Clone) -> list[tuple[str, int, int]]:
    return [(place.path, place.start_line, place.end_line) for place in clone.places]


def test_copies_are_one_group_whose_places_are_all_told(tmp_path: Path) -> None:
    shared = _statements(12)
    texts = {f"{name}.py": "\n".join([*_statements(9), *shared, *_statements(7)]) for name in "abc"}

    [clone] = [one for one in _find(tmp_path, texts) if not one.renamed]

    assert _lines(clone) == [("a.py", 10, 21), ("b.py", 10, 21), ("c.py", 10, 21)]
    assert clone.places[0].start_column == 1


def test_names_that_were_exchanged_one_for_one_are_found_and_others_not(tmp_path: Path) -> None:
    body = "\n".join(_statements(14, names=6))
    renamed = body
    for number in range(6):
        renamed = renamed.replace(f"name_{number}", f"other_{5 - number}")
    mixed = body.replace("name_1", "name_2").replace("name_3", "name_2").replace("name_4", "name_0")

    assert [clone.renamed for clone in _find(tmp_path, {"a.py": body, "b.py": renamed})] == [True]
    assert not _find(tmp_path, {"a.py": body, "b.py": mixed})


def test_each_name_is_exchanged_for_the_same_one_from_end_to_end(tmp_path: Path) -> None:
    first, middle = _statements(14, names=6), [line.replace("name_", "inner_") for line in _statements(20, names=6)]
    last = _statements(14, names=6)
    exchanged = [
        *(line.replace("name_", "one_") for line in first),
        *(line.replace("inner_", "other_") for line in middle),
        *(line.replace("name_", "two_") for line in last),
    ]
    texts = {"a.py": "\n".join([*first, *middle, *last]), "b.py": "\n".join(exchanged)}
    assert not _find(tmp_path, texts), "name_1 is one_1 at first and two_1 at last"


def test_a_copy_with_other_names_is_found_beside_one_that_mixes_them_up(tmp_path: Path) -> None:
    body = "\n".join(_statements(14, names=6))
    mixed = body.replace("name_1", "name_2").replace("name_3", "name_2").replace("name_4", "name_0")
    found = _find(tmp_path, {"a.py": mixed, "b.py": body, "c.py": body.replace("name_", "other_")})
    assert [[place.path for place in clone.places] for clone in found] == [["b.py", "c.py"]]


def test_comments_and_layout_do_not_count_and_fewer_tokens_are_nothing(tmp_path: Path) -> None:
    body = _statements(10)
    spaced = "\n".join(f"{line}  # {number}\n" for number, line in enumerate(body))
    few = body[:2]

    assert len(_find(tmp_path, {"a.py": "\n".join(body), "b.py": spaced})) == 1
    assert not _find(tmp_path, {"a.py": "\n".join(few), "b.py": "\n".join(few)})


def test_no_copy_overlaps_itself(tmp_path: Path) -> None:
    table = "x = [" + ", ".join(["0"] * 400) + "]\n"
    twice = "\n".join(_statements(10) * 2)

    assert not _find(tmp_path, {"table.py": table})
    [clone] = _find(tmp_path, {"table.py": "", "twice.py": twice})
    assert _lines(clone) == [("twice.py", 1, 10), ("twice.py", 11, 20)]


def test_a_file_that_changes_or_goes_meanwhile_is_left_out(tmp_path: Path) -> None:
    body = "\n".join(_statements(12))

    class Fickle(FolderReader):
        reads = 0

        def read(self, path: str) -> bytes:
            self.reads += 1
            data = super().read(path)
            assert isinstance(data, bytes)
            return data if self.reads <= 3 or path != "c.py" else b"changed = 1\n"

    for name in "abc":
        (tmp_path / f"{name}.py").write_text(body)
    with Fickle(str(tmp_path.resolve()), 2**21) as reader:
        found = find_clones(reader, [("a.py", "python"), ("b.py", "python"), ("c.py", "python"), ("gone.py", "python")])

    assert [[place.path for place in clone.places] for clone in found.clones] == [["a.py", "b.py"]]
    assert found.unread == {"gone.py": "gone meanwhile"}


def test_repeats_are_those_that_comparing_all_places_shows() -> None:
    files = []
    pool = [_statements(4, names=5) for _ in range(6)]
    for _ in range(8):
        parts = [line for _ in range(4) for line in _CHANCE.choice(pool)]
        files.append("\n".join(parts).encode())
    length = 20
    builder = StreamBuilder()
    for source in files:
        assert builder.add("python", source)
    stream = builder.build()

    repeats = find_repeats(stream, length, renamed=False)

    words = [tokens("python", source) for source in files]
    runs: dict[tuple[bytes, ...], list[int]] = {}
    for number, file in enumerate(words):
        for at in range(len(file) - length + 1):
            runs.setdefault(tuple(file[at : at + length]), []).append(int(stream.starts[number]) + at)
    expected = {tuple(places) for places in runs.values() if len(places) > 1}
    ends = repeats.first + repeats.sizes
    told = {tuple(map(int, repeats.members[begin:end])) for begin, end in zip(repeats.first, ends, strict=True)}
    assert told == expected
    assert expected
    assert set(np.flatnonzero(repeats.group_at >= 0).tolist()) == {at for places in expected for at in places}
