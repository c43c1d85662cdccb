"""Which of the definitions of a survey are alive.

A definition is alive if its name stands anywhere in code that is alive itself, in settings, in templates or texts,
unless imports tell that another one is meant; or if something is known that uses it without naming it, see
`languages.liveness`.
"""

from collections import defaultdict
from collections.abc import Collection, Iterable
from fnmatch import fnmatchcase

from cocosearch_py.features.audit.dead_code.imports import users_of
from cocosearch_py.features.audit.dead_code.unreachable_files import candidates, closed
from cocosearch_py.features.audit.dead_code.usage import DOCUMENTS, Survey, Suspect
from cocosearch_py.features.audit.dead_code.words import HANDED_ON, MEMBER, MENTIONED, unpacked
from cocosearch_py.features.audit.findings import Scope
from cocosearch_py.languages.liveness import Liveness, liveness_of
from cocosearch_py.model.references import DEFAULT_EXPORT, WILDCARD

_OWN = ("setter", "getter", "deleter")  # of a property, which names itself
_COMMON_JS = ("exports.", "module.exports")
_PLAIN = ("export ", "declare ", "default ", "async ", "abstract ", "const ", "let ", "var ", "function", "class ",
          "interface ", "type ", "enum ")  # fmt: skip


def weigh(made: Survey, scope: Scope, named: Iterable[tuple[int, str, int, int]]) -> set[int]:
    """Find out who may use each suspect; gives the files that nothing loads.

    Args:
        named: (file, name, first line, last line) of all definitions that have the name of a suspect.
    """
    weighing = _Weighing(made, scope, named)
    weighing.weigh()
    importers, named_by = made.importers(), made.paths.named_by
    offering = {
        number
        for number in candidates(made.files) - weighing.entries
        if (exports := made.places.exports.get(number)) is not None
        and (exports.offers or importers.get(number) or named_by.get(number))
    }
    return closed(offering, importers, named_by)


def unused(made: Survey, unloaded: Collection[int], *, without_tests: bool) -> set[int]:
    """Suspects, by place in the survey, that nothing which is alive uses.

    Args:
        unloaded: files that use nothing.
        without_tests: nor do tests.
    """
    spreading = _Spreading(made, unloaded, without_tests=without_tests)
    for number, one in enumerate(made.suspects):
        if one.is_kept and one.file not in unloaded:
            spreading.revive(number)
    for number, one in enumerate(made.suspects):
        for use in one.uses:
            spreading.look(number, use)
    spreading.spread()
    return set(range(len(made.suspects))) - spreading.alive


class _Spreading:
    """How life spreads from definition to definition."""

    def __init__(self, made: Survey, unloaded: Collection[int], *, without_tests: bool) -> None:
        self._made, self._unloaded, self._without_tests = made, unloaded, without_tests
        self._around: dict[int, list[int]] = defaultdict(list)
        for number, one in enumerate(made.suspects):
            self._around[one.file].append(number)
        self.alive: set[int] = set()
        self._waiting: dict[int, list[tuple[int, tuple[int, int]]]] = defaultdict(list)
        self._left: list[int] = []

    def revive(self, number: int) -> None:
        self.alive.add(number)
        self._left.append(number)

    def look(self, number: int, use: tuple[int, int]) -> None:
        """Let a definition live if a use of it does, or wait for what the use is in."""
        made = self._made
        if number in self.alive or use[0] in self._unloaded or (self._without_tests and made.is_test(use[0])):
            return
        for other in self._around.get(use[0], ()):
            if other not in self.alive and other != number and made.suspects[other].holds(*use):
                self._waiting[other].append((number, use))
                return
        self.revive(number)

    def spread(self) -> None:
        while self._left:
            for number, use in self._waiting.pop(self._left.pop(), ()):
                self.look(number, use)


class _Weighing:
    """Facts about an index while its definitions are weighed."""

    def __init__(self, made: Survey, scope: Scope, named: Iterable[tuple[int, str, int, int]]) -> None:
        self.made, self.scope = made, scope
        made.told.settle([one.path for one in made.files])
        self.entries = {
            number
            for number, one in enumerate(made.files)
            if made.told.begins(one.path, self._liveness(number)) or _fits(one.path, scope.entrypoints)
        }
        self.defining: set[tuple[int, str]] = set()
        self.naming: dict[str, list[tuple[int, int, int]]] = defaultdict(list)
        for file, name, first, last in named:
            self.naming[name].append((file, first, last))
        for one in made.suspects:
            if not one.one.nested:
                self.defining.add((one.file, one.one.name))
        self.bases = {key: _bases(self._liveness(key[0]), one.signature) for key, one in made.types.items()}
        self.by_name: dict[str, list[tuple[int, int]]] = defaultdict(list)
        for key, type_ in made.types.items():
            self.by_name[type_.name].append(key)
        self.alike: dict[tuple[int, str], list[Suspect]] = defaultdict(list)
        for one in made.suspects:
            self.alike[one.file, one.one.qualified_name].append(one)

    def weigh(self) -> None:
        for one in self.made.suspects:
            one.is_kept = self._is_kept(one)
            if not one.is_kept:
                if one.decides:
                    self._by_imports(one)
                else:
                    self._by_name(one)
            if not one.is_kept:
                one.is_kept = not one.uses and not one.decides and self._is_composed(one.one.name)
                self._doubt(one)

    def _liveness(self, file: int) -> Liveness:
        return liveness_of(self.made.files[file].language_id)

    def _is_kept(self, one: Suspect) -> bool:
        """Whether something uses a definition without naming it."""
        made, scope, liveness = self.made, self.scope, one.liveness
        defined = one.one
        if liveness.hooks.fullmatch(defined.name) or defined.name in made.places.inline:
            return True
        if _fits(defined.name, scope.kept_symbols) or _fits(defined.qualified_name, scope.kept_symbols):
            return True
        path = made.files[one.file].path
        if liveness.declares.search(path):
            return True
        if not one.decides and (liveness.entries.search(path) or _fits(path, scope.entrypoints)):
            return True
        decorators = made.places.decorators.get((one.file, defined.start_line), ())
        if any(not _is_neutral(name, defined.name, liveness) for name in decorators):
            return True
        if one.decides:
            exports = made.places.exports.get(one.file)
            is_plain = defined.signature.startswith((*_PLAIN, *_COMMON_JS))
            is_inside = (one.file, defined.start_line) in made.places.indented
            return exports is None or not exports.is_module or not is_plain or is_inside
        if defined.nested and not liveness.is_private(defined.name, defined.signature):
            return bool(self._outside(one.file, defined.parent_no))
        return defined.kind == "class" and self._is_registered(one)

    def _outside(self, file: int, symbol: int | None) -> set[str]:
        """The types that a class inherits from, also over others, and that the index does not define."""
        found, seen, left = set[str](), set[tuple[int, int]](), [(file, -1 if symbol is None else symbol)]
        while left:
            key = left.pop()
            if key in seen:
                continue
            seen.add(key)
            for base in self.bases.get(key, ()):
                inside = self.by_name.get(base.rpartition(".")[2], ())
                left += inside
                if not inside or "." in base or self._is_library(key[0], base):
                    found.add(base)
        plain = self._liveness(file).plain_bases
        return found - plain

    def _is_library(self, file: int, name: str) -> bool:
        """Whether a name that a file imports is of a library, as far as that is known."""
        if (file, name) not in self.made.imports.locals:
            return False
        return not self.made.imports.origins(file, name, self.defining) - {None}

    def _is_registered(self, one: Suspect) -> bool:
        """Whether a class inherits from one that keeps a list of its heirs."""
        seen, left = set[tuple[int, int]](), [(one.file, one.one.symbol_no)]
        while left:
            key = left.pop()
            if key in seen:
                continue
            seen.add(key)
            above = [inside for base in self.bases.get(key, ()) for inside in self.by_name[base.rpartition(".")[2]]]
            if any(file in self.made.places.registering for file, _ in above):
                return True
            left += above
        return False

    def _is_composed(self, name: str) -> bool:
        """Whether a name may be put together when a program runs."""
        places = self.made.places
        return any(name.startswith(one) and name != one for one in places.heads) or any(
            name.endswith(one) and name != one for one in places.tails
        )

    def _by_imports(self, one: Suspect) -> None:
        """Uses in the own file, by those who import it, and in files that have no imports."""
        made, name = self.made, one.one.name
        is_common = one.one.signature.startswith(_COMMON_JS)
        self._add(one, (
            place for place in self._others(name, made.places.in_file.get((one.file, name), ()))
            if place[0] == one.file and not place[2] & HANDED_ON and (is_common or not place[2] & MEMBER)
        ))  # fmt: skip
        exports = made.places.exports[one.file]
        exported = set(exports.names.get(name, ()))
        if is_common or one.liveness.is_exported(one.one.signature):
            exported.add(DEFAULT_EXPORT if one.one.signature.startswith("export default") else name)
        if exported:
            taken = users_of(made.imports, made.places, (one.file, frozenset(exported)), self.entries)
            one.is_kept |= taken.is_entry
            one.is_public |= taken.is_entry
            told = [place for place in taken.places if made.files[place[0]].content_class in DOCUMENTS]
            one.uses += [place for place in taken.places if place not in told]
            one.doubts += [f"a document links to its file: {made.files[file].path}:{line}" for file, line in told[:1]]
            if taken.is_doubtful:
                one.doubts.append("its file is also imported by an expression, and its result may be used in any way")
            importing = {each.file for each in made.imports.of.get(one.file, ())}
            for named_by in sorted(made.paths.named_by.get(one.file, set()) - importing)[:1]:
                one.doubts.append(f"{made.files[named_by].path} names its file, and may use anything in it")
            if exported & made.imports.loose:
                one.doubts.append("an import of this name does not resolve to an indexed file")
        self._add(one, (
            place for place in self._others(name, made.places.everywhere.get(name, ()))
            if self._liveness(place[0]).read_exports is None and not self._liveness(place[0]).is_measured
        ))  # fmt: skip

    def _by_name(self, one: Suspect) -> None:
        """Uses wherever the name stands, but where imports or definitions of a file tell that another one is meant."""
        made, name = self.made, one.one.name
        if name in made.places.many:
            one.is_kept = True
            return
        explained: dict[int, bool] = {}
        for file, line, flags in self._others(name, made.places.everywhere.get(name, ())):
            if file != one.file:
                other = self._liveness(file)
                if other.is_measured and other is not one.liveness:
                    continue
                if not one.one.nested and not flags & MEMBER:
                    if file not in explained:
                        explained[file] = self._is_explained(one, file)
                    if explained[file]:
                        continue
            self._add(one, [(file, line, flags)])
        if {name, WILDCARD} & made.imports.loose and not one.one.nested:
            one.doubts.append("an import that may provide this name does not resolve to an indexed file")

    def _is_explained(self, one: Suspect, file: int) -> bool:
        """Whether the name means something else in a file."""
        name = one.one.name
        if (file, name) in self.made.imports.locals:
            origins = self.made.imports.origins(file, name, self.defining)
            return None not in origins and one.file not in origins
        return (file, name) in self.defining

    def _others(self, name: str, places: Iterable[int]) -> list[tuple[int, int, int]]:
        """Places that do not define a name."""
        found = [unpacked(place) for place in places]
        for file, first, last in self.naming.get(name, ()):
            for at, (in_file, line, flags) in enumerate(found):
                if in_file == file and first <= line <= last and not flags & MEMBER:
                    del found[at]
                    break
        return found

    def _add(self, one: Suspect, places: Iterable[tuple[int, int, int]]) -> None:
        same = self.alike[one.file, one.one.qualified_name]
        for file, line, flags in places:
            if not any(other.holds(file, line) for other in same):
                (one.mentions if flags & MENTIONED else one.uses).append((file, line))

    def _doubt(self, one: Suspect) -> None:
        """Note why a definition that nothing names may be in use."""
        made, defined, liveness = self.made, one.one, one.liveness
        if not liveness.is_measured:
            one.doubts.append("the error rate of this check has not been measured for its language")
        if made.files[one.file].parse_status != "ok":
            one.doubts.append("its file has syntax errors")
        if defined.kind in ("constant", "variable"):
            one.doubts.append("its initial value may have side effects")
        if one.file in made.places.reflecting:
            one.doubts.append("its file looks definitions up by names built at run time")
        owner = defined.parent_no if defined.nested else defined.symbol_no
        if outside := sorted(self._outside(one.file, owner)):
            one.doubts.append(f"{outside[0]} is not in the index, and may call methods of its subclasses")
        is_private = liveness.is_private(defined.name, defined.signature)
        if one.decides:
            return
        if defined.nested and not is_private:
            one.doubts.append("it is a public method: any code with such an object may call it")
        if not is_private and self._is_published(one):
            one.is_public = True

    def _is_published(self, one: Suspect) -> bool:
        """Whether others who install the package may use a definition by its name.

        A module with a private name does not hide it: another one may offer what is in there.
        """
        path = self.made.files[one.file].path
        if any(part.startswith("_") and not part.startswith("__") for part in one.one.qualified_name.split(".")):
            return False
        folders = self.made.published.get(one.liveness, ())
        return any(not folder or path.startswith(folder + "/") for folder in folders)


def _bases(liveness: Liveness, signature: str) -> tuple[str, ...]:
    found = liveness.bases.search(signature)
    if found is None:
        return ()
    depth, names, word = 0, [], ""
    for letter in found[1] + ",":
        depth += (letter in "[<(") - (letter in "]>)")
        if letter == "," and depth <= 0:
            names.append(word)
            word = ""
        elif depth <= 0 and letter not in "]>)":
            word += letter
    plain = (name.replace(" implements ", ",").replace(" extends ", ",") for name in names)
    return tuple(base.strip() for name in plain for base in name.split(",") if base.strip() and "=" not in base)


def _is_neutral(decorator: str, name: str, liveness: Liveness) -> bool:
    own, _, last = decorator.rpartition(".")
    return decorator in liveness.neutral or (last in _OWN and own == name)


def _fits(text: str, globs: Collection[str]) -> bool:
    return any(fnmatchcase(text, glob) for glob in globs)
