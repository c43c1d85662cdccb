"""Which of several versions or variants of the same thing a question means, by the paths of the candidates. Pure."""

import re
from collections import defaultdict
from collections.abc import Callable, Hashable, Sequence, Set

from cocosearch_py.analysis.paths import PathFacts, PathVersion, path_facts
from cocosearch_py.search.candidates import FileCandidate

NEWER_HOLDS = 0.5  # of the keyword evidence of an older file: from there the newer ones are about the question, too
# What a file of the version or by the word that the question names gains, as a share of what others lose.
NAMED_VERSION, NAMED_WORD = -1.0, -0.5
NOT_NAMED = 1.5  # what the other versions lose then
_WORD = re.compile(r"[^-_.]+")
_Versioned = tuple[FileCandidate, PathVersion]


def add_version_feature(candidates: Sequence[FileCandidate], asked: Set[str]) -> None:
    """Mark the older of files or folders that differ in a version, the smaller of variants, and what is outdated.

    A version or word that the question names is the one that it means. Works on the features of retrieval.

    Args:
        asked: the question's words in lower case, versions in one piece.
    """
    facts = [(file, path_facts(file.path)) for file in candidates]
    versioned = [(file, fact.version) for file, fact in facts if fact.version]
    for members in _groups(versioned, lambda version: version.rest):
        _mark_older(members, asked)
    for members in _groups([one for one in versioned if one[1].family is not None], lambda version: version.family):
        _mark_older(members, asked, only_where_newer_holds=True)
    by_path = {file.path: file for file in candidates}
    for file, version in versioned:
        if version.is_first and version.name not in asked and version.unversioned in by_path:
            file.features["older"] = 1.0
    for file, fact in facts:
        if fact.outdated:
            file.features["older"] = NAMED_WORD if fact.outdated in asked else 1.0
    _mark_variants(facts, asked)


def _groups(versioned: Sequence[_Versioned], key: Callable[[PathVersion], Hashable]) -> Sequence[Sequence[_Versioned]]:
    groups: defaultdict[Hashable, list[_Versioned]] = defaultdict(list)
    for one in versioned:
        groups[key(one[1])].append(one)
    return list(groups.values())


def _mark_older(members: Sequence[_Versioned], asked: Set[str], *, only_where_newer_holds: bool = False) -> None:
    """Mark all but the newest of some versions, or but the one that the question names, which gains.

    Args:
        only_where_newer_holds: the files differ in more, so the newer need not have what an older one has.
    """
    named = {version.order for _, version in members if version.name in asked}
    held: dict[tuple[object, ...], float] = {}
    for file, version in members:
        held[version.order] = max(held.get(version.order, 0.0), _held(file))
    for file, version in members:
        if named:
            file.features["older"] = NAMED_VERSION if version.order in named else NOT_NAMED
            continue
        newer = [most for order, most in held.items() if order > version.order]
        holds = max(newer, default=0.0)
        if newer and (not only_where_newer_holds or (holds > 0 and holds >= NEWER_HOLDS * _held(file))):
            file.features["older"] = 1.0


def _held(file: FileCandidate) -> float:
    return file.features.get("keywords", 0.0)


def _mark_variants(facts: Sequence[tuple[FileCandidate, PathFacts]], asked: Set[str]) -> None:
    """Mark `mini/a.ts` if `classic/a.ts` is a candidate, too; what the question names gains."""
    variants = [(file, fact.variant) for file, fact in facts if fact.variant and "older" not in file.features]
    if not variants:
        return
    others: defaultdict[str, list[str]] = defaultdict(list)  # name of a file -> paths
    for file, fact in facts:
        if not fact.variant:
            others[file.path.rpartition("/")[2]].append(f"/{file.path}")
    for file, folder in variants:
        if not asked.isdisjoint(_WORD.findall(folder.lower())[-1:]):
            file.features["older"] = NAMED_WORD
            continue
        before, _, behind = f"/{file.path}".partition(f"/{folder}/")
        for path in others[file.path.rpartition("/")[2]]:
            if path.startswith(f"{before}/") and path[len(before) + 1 :].partition("/")[2] == behind:
                file.features["older"] = 1.0
