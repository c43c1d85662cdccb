"""Questions to measure with: labelled ones, or ones made of the words of web applications."""

import itertools
import json
import random
from collections.abc import Iterator
from pathlib import Path

WORDS = (
    "request response route session cookie cache queue job event listener mail user token password hash encrypt "
    "database query builder model relation migration schema column index transaction connection pool retry timeout "
    "validate rule message translate view template compile render collection map filter sort paginate file disk "
    "upload stream log channel exception handler report console command schedule container bind resolve provider "
    "broadcast notification redis lock rate limit middleware auth guard gate policy factory seed test fake"
).split()
FORMS = (
    "how is the {} {} for a {}",
    "{} {} {}",
    "where does the {} {} its {}",
    "{}{} of {}",
    "create {} with {} and {}",
)


def made(seed: int) -> Iterator[str]:
    """Questions that differ from each other and from those of other seeds, the same in every run."""
    chance = random.Random(seed)
    for number in itertools.count():
        yield chance.choice(FORMS).format(*chance.sample(WORDS, 3)) + f" {seed}x{number}"


def labelled(annotations: Path | None, seed: int) -> Iterator[str]:
    """Questions of a labelled benchmark in random order, made ones if there are none or no more."""
    if annotations is not None:
        rows = [row for file in sorted(annotations.glob("*.json")) for row in json.loads(file.read_bytes())]
        questions = [row["query"] for row in rows]
        random.Random(seed).shuffle(questions)
        yield from questions
    yield from made(seed)
