"""Parts of qualifiers, modules and paths, and the files that an import may mean by its spelling. Pure."""

import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from functools import lru_cache

from cocosearch_py.model.paths import file_id_of
from cocosearch_py.model.references import WILDCARD
from cocosearch_py.storage.queries.references import Imported, KnownFile, Use

SUPERS = frozenset({"super", "super()", "base", "parent"})
SELVES = SUPERS | {"self", "this", "cls", "Self", "@self", "$this", "static"}
_KEPT_PARTS = 10_000
_PARTS = re.compile(r"::|->|\?\.|[.\\/]")
_FOLDER_FILES = frozenset({"__init__", "index", "mod", "lib", "package"})


def locals_of(uses: Iterable[Use], names: Collection[str]) -> set[str]:
    """Local names that imports must have to say something about uses."""
    found = set(names)
    for use in uses:
        if use.qualifier and use.qualifier not in SELVES:
            found.add(use.qualifier)
            found.update(parts_of(use.qualifier))
        if use.receiver:
            found.update(parts_of(use.receiver))
    return found


@lru_cache(maxsize=_KEPT_PARTS)
def parts_of(qualifier: str) -> tuple[str, ...]:
    """The names of a qualifier: a and b of `a.b`."""
    return tuple(part for part in _PARTS.split(qualifier.strip("&*!?()")) if part)


def module_parts(one: Imported) -> tuple[str, ...]:
    """The parts of a module that is imported as a whole and under no other name; of others none."""
    if one.alias is not None or one.name is not None:
        return ()
    return _parts_of_module(one.module)


def packages_above(files: Mapping[int, KnownFile], targets: Iterable[int], levels: int) -> Iterator[int]:
    """The files of the packages that are so many levels above modules."""
    for target in targets:
        if target in files:
            path = files[target].path
            place = "/" + stem_of(path)
            for _ in range(levels):
                place = folder_of(place)
            if place:
                yield file_id_of(f"{place[1:]}/__init__.{path.rpartition('.')[2]}")


def is_named(one: Imported, qualifier: str, parts: Sequence[str]) -> bool:
    """Whether an import brings what a qualifier begins with, or is: `http` of net/http, `a.b` of a.b."""
    if one.alias is not None:
        return one.alias in (qualifier, parts[0])
    if one.name not in (None, WILDCARD):
        return one.name in (qualifier, parts[0])
    module = module_parts(one)
    if not module:
        return False
    return module[-1] == parts[0] or module[0] == parts[0] or one.module == qualifier


@lru_cache(maxsize=_KEPT_PARTS)
def _parts_of_module(module: str) -> tuple[str, ...]:
    return tuple(part for part in _PARTS.split(module) if part)


def is_module(files: Mapping[int, KnownFile], one: Imported) -> bool:
    """Whether the imported name is that of a file it leads to."""
    for target in one.targets:
        if target in files:
            *_, folder, stem = ("", "", *stem_of(files[target].path).split("/"))
            if one.name == stem or (stem in _FOLDER_FILES and one.name == folder):
                return True
    return False


def is_type_like(qualifier: str) -> bool:
    """Whether it is written as classes are: `Cart`, `shop.Cart`."""
    return qualifier.rpartition(".")[2][:1].isupper()


def folder_of(path: str) -> str:
    return path.rpartition("/")[0]


def stem_of(path: str) -> str:
    folder, slash, name = path.rpartition("/")
    stem = folder + slash + name.partition(".")[0]
    return stem.removesuffix("/__init__").removesuffix("/index") if slash else stem
