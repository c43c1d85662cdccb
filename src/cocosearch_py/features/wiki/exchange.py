"""Export of wikis to folders and import from them: files that may be overwritten, and pages that a folder changes."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from cocosearch_py.discovery.regular_files import read_regular
from cocosearch_py.errors import ConflictError, NotFoundError, SafetyError, ValidationError
from cocosearch_py.features.wiki import folders, markup
from cocosearch_py.features.wiki.answers import ExportedFolder, ImportedFolder
from cocosearch_py.features.wiki.arguments import WikiExportArguments, WikiImportArguments
from cocosearch_py.features.wiki.contributions import MAX_CONTENT_CHARS, MAX_TITLE_CHARS, is_storable
from cocosearch_py.features.wiki.folders import FileError, FilePage, Kept, says_of
from cocosearch_py.features.wiki.import_documents import adopted
from cocosearch_py.features.wiki.links import read_outline
from cocosearch_py.features.wiki.markup import INDEX_FILE, Target
from cocosearch_py.features.wiki.model import IMPORTED, Contradiction, Failure, Gone, Version, WikiPlace
from cocosearch_py.features.wiki.pages import current_id
from cocosearch_py.features.wiki.place import author_of, target_of
from cocosearch_py.features.wiki.wikis import Incoming, Snapshot, Wikis
from cocosearch_py.model.private import FOLDER_MODE, replace_text
from cocosearch_py.tools.call import Call

MOST_FILES = 10_000
MOST_BYTES = 4_000_000  # Per file.
_NAMED = 20  # Maximum files named in a message.
_SUFFIXES = (".md", ".markdown")


def wiki_export(call: Call, asked: WikiExportArguments) -> ExportedFolder:
    """Write the wiki to a folder; see `export_folder`."""
    target = target_of(call)
    return export_folder(target.wikis, target.place, _folder(asked.folder), force=asked.force)


def wiki_import(call: Call, asked: WikiImportArguments) -> ImportedFolder:
    """Import pages from a folder; see `import_folder`."""
    target = target_of(call, writes=True)
    author = author_of(call, asked.author)
    return import_folder(target.wikis, target.place, _folder(asked.folder), author, force=asked.force)


def _folder(text: str) -> Path:
    return Path(text).expanduser().absolute()


def page_file(call: Call, name: str) -> str:
    """Return the file that an export writes for a page.

    Args:
        name: ID of the page, or name of its file, as in links between files.
    Raises:
        NotFoundError: there is no such page.
    """
    target = target_of(call)
    snapshot = target.wikis.snapshot(target.place)
    pages = {one.page.page_id: one for one in kept(snapshot)}
    wanted = current_id(snapshot.gone, name)
    page_id = wanted if wanted in pages else current_id(snapshot.gone, markup.page_of(name) or "")
    if page_id in pages:
        return folders.render_page(pages[page_id], folders.targets_of(one.page for one in pages.values()))
    if name == INDEX_FILE:
        return folders.render(list(pages.values()))[INDEX_FILE]
    raise NotFoundError(f"the wiki has no page '{name[:100]}'", hint=f"cocosearch://wiki/{INDEX_FILE} lists all")


def export_folder(wikis: Wikis, place: WikiPlace, folder: Path, *, force: bool = False) -> ExportedFolder:
    """Write a wiki to a folder, one file per page. Other files in the folder stay.

    Args:
        force: overwrite all files.
    Raises:
        SafetyError: a file to overwrite is not from a wiki, or has changes that the wiki does not have.
        ValidationError: the path is not a folder.
    """
    if folder.exists() and not folder.is_dir():
        raise ValidationError(f"{folder} is not a folder", hint="name a folder; it is created if it does not exist")
    snapshot = wikis.snapshot(place)
    files = folders.render(list(kept(snapshot)))
    there = {path.name: path for path in sorted(folder.glob("*.md"))} if folder.is_dir() else {}
    unchanged, wrong = [], []
    for name, text in files.items():
        if (path := there.pop(name, None)) is None and not (folder / name).is_symlink():
            continue
        old = _read(folder / name) if path is not None else None
        if old == text:
            unchanged.append(name)
        elif not force and (why := _lost(name, old, snapshot, wikis, place)):
            wrong.append(f"{name}: {why}")
    if wrong:
        raise SafetyError(
            f"changes in {folder} would be lost: {'; '.join(wrong[:_NAMED])}",
            hint="import the folder first, or pass --force to overwrite it",
        )
    written = [name for name in files if name not in unchanged]
    folder.mkdir(mode=FOLDER_MODE, parents=True, exist_ok=True)
    for name in written:
        replace_text(folder / name, files[name])
    left = [name for name, path in there.items() if folders.is_ours(_read(path) or "")]
    return ExportedFolder(folder=str(folder), written=tuple(written), unchanged=tuple(unchanged), left=tuple(left))


def import_folder(wikis: Wikis, place: WikiPlace, folder: Path, author: str, *, force: bool = False) -> ImportedFolder:
    """Import the pages of a folder, all of them or none. A place without a wiki gets one.

    Each file is compared with the version that it was written from. A change in the file alone becomes a new version,
    a change in the wiki alone stays, and a change in both is a conflict.

    Args:
        force: import other Markdown files, too; in a conflict the file wins.
    Raises:
        ValidationError: a file is not valid; the message has file and line of each.
        SafetyError: there are other Markdown files.
        ConflictError: pages changed in both.
    """
    if not folder.is_dir():
        raise ValidationError(
            f"no folder {folder}", hint="name a folder that `wiki export` wrote, or one with Markdown files"
        )
    texts = _texts(folder)
    foreign = {name: text for name, text in texts.items() if not folders.is_ours(text)}
    if foreign and not force:
        raise SafetyError(
            f"some files in {folder} did not come from a wiki: {', '.join(list(foreign)[:_NAMED])}",
            hint="pass --force to make pages of them",
        )
    own = _parsed({name: text for name, text in texts.items() if name not in foreign and name != INDEX_FILE})
    taken: dict[str, list[str]] = {"created": [], "updated": [], "unchanged": [], "kept": []}

    def choose(snapshot: Snapshot) -> Sequence[Incoming]:
        for listed in taken.values():
            listed.clear()
        used = {page.latest.page_id for page in own.values()}
        others = adopted(foreign, _prefix(folder, place), used)
        _check_sizes(others)
        found = [*_resolved(own, snapshot), *(_Found(name, one) for name, one in others.items())]
        pages = [
            _Found(one.name, _as_now(one.page, snapshot)) if one.name in others else one
            for one in _renamed(found, snapshot, taken["kept"])
        ]
        return _chosen(pages, snapshot, author, taken, force=force)

    wikis.take(place, choose)
    return ImportedFolder(folder=str(folder), **{name: tuple(sorted(page_ids)) for name, page_ids in taken.items()})


def kept(snapshot: Snapshot) -> "list[Kept]":
    """Return the pages of a wiki by ID, with their notes."""
    return [
        Kept(
            page,
            tuple(one for one in snapshot.failures if one.page_id == page.page_id),
            tuple(one for one in snapshot.contradictions if one.page_id == page.page_id),
        )
        for page in snapshot.pages.values()
    ]


@dataclass(frozen=True, slots=True)
class _Found:
    """A page of a folder, with links as pages have them."""

    name: str
    page: FilePage


def _chosen(
    pages: Sequence[_Found], snapshot: Snapshot, author: str, taken: Mapping[str, list[str]], *, force: bool
) -> list[Incoming]:
    incoming, conflicts = [], []
    for found in pages:
        new, ours = found.page.latest, snapshot.pages.get(found.page.latest.page_id)
        if ours is None:
            gone = snapshot.gone.get(new.page_id)
            if gone is not None and not force and new.version <= gone.version:
                if _same_as(found, snapshot, found.page.page_type):
                    taken["kept"].append(new.page_id)
                else:
                    conflicts.append(f"{found.name}:{found.page.text_line} (the wiki has removed this page)")
                continue
            incoming.append(_begun(found, gone, author))
            taken["created"].append(new.page_id)
            continue
        notes = _notes(found.page, snapshot)
        later: Version | None = None
        if _same(found, ours.latest, ours.page_type, snapshot):
            taken["unchanged"].append(new.page_id)
        elif new.version < ours.version and _same_as(found, snapshot, ours.page_type):
            taken["kept"].append(new.page_id)
        elif new.version > ours.version or force or (new.version == ours.version and not found.page.intact):
            number = max(new.version, ours.version + 1)
            later = replace(new, version=number, author=author, reason=IMPORTED)
            taken["updated"].append(new.page_id)
        else:
            conflicts.append(f"{found.name}:{_first_difference(found, ours.latest.content)}")
        if later is not None or any(notes):
            incoming.append(Incoming(new.page_id, later, ours.page_type, *notes))
    if conflicts:
        raise ConflictError(
            f"changed both in the wiki and in the folder: {', '.join(conflicts[:_NAMED])}",
            hint="merge the wiki's text (`wiki read`) and its version number into the files, "
            "or pass --force to take the files",
            details={"files": conflicts},
        )
    return incoming


def _begun(found: _Found, gone: Gone | None, author: str) -> Incoming:
    """Create a page that the wiki does not have, or restore a removed one, whose versions still exist."""
    new = found.page.latest
    number = new.version if gone is None else max(new.version, gone.version + 1)
    latest = replace(new, version=number, author=new.author if found.page.intact else author, reason=IMPORTED)
    return Incoming(new.page_id, latest, found.page.page_type, *_notes(found.page, None))


def _renamed(pages: Sequence[_Found], snapshot: Snapshot, kept: list[str]) -> list[_Found]:
    """Return the pages of files under their current IDs, without files that an earlier export left behind."""
    named = {found.page.latest.page_id for found in pages}
    listed = []
    for found in pages:
        latest = found.page.latest
        if (now := current_id(snapshot.gone, latest.page_id)) == latest.page_id:
            listed.append(found)
        elif now in named:
            kept.append(latest.page_id)
        else:
            listed.append(_Found(found.name, replace(found.page, latest=replace(latest, page_id=now))))
    return listed


def _same(found: _Found, version: Version, page_type: str, snapshot: Snapshot) -> bool:
    """Report whether a file equals a version. Its links may have earlier titles of pages."""
    if found.page.intact:
        return found.page.says == says_of(version, page_type)
    targets = folders.targets_of(snapshot.pages.values())
    rendered = markup.to_markdown(version.content, version.page_id, targets)
    content = markup.from_markdown(rendered, version.page_id, targets)
    new = found.page.latest
    sources = [one.spelled for one in version.sources]
    return (new.title, new.content, [one.spelled for one in new.sources]) == (version.title, content, sources) or (
        (new.title, new.content, [one.spelled for one in new.sources]) == (version.title, version.content, sources)
    )


def _same_as(found: _Found, snapshot: Snapshot, page_type: str) -> bool:
    base = snapshot.version(found.page.latest.page_id, found.page.latest.version)
    return base is not None and _same(found, base, page_type, snapshot)


def _notes(page: FilePage, snapshot: Snapshot | None) -> tuple[tuple[Failure, ...], tuple[Contradiction, ...]]:
    """Return the failures and contradictions of a file that the wiki does not have."""
    failures = {one.what for one in snapshot.failures if one.page_id == page.latest.page_id} if snapshot else set()
    known = {one.what for one in snapshot.contradictions if one.page_id == page.latest.page_id} if snapshot else set()
    return (
        tuple(one for one in page.failures if one.what not in failures),
        tuple(one for one in page.contradictions if one.what not in known),
    )


def _first_difference(found: _Found, content: str) -> int:
    """Return the first line of a file that differs from the wiki."""
    pairs = zip(found.page.latest.content.split("\n"), content.split("\n"), strict=False)
    at = next((number for number, (new, old) in enumerate(pairs) if new != old), 0)
    return found.page.text_line + at


def _resolved(own: Mapping[str, FilePage], snapshot: Snapshot) -> list[_Found]:
    """Return the pages of exported files, with links as pages have them."""
    targets = {**folders.targets_of(snapshot.pages.values()), **_targets(own.values())}
    return [
        _Found(
            name,
            folders.with_content(page, markup.from_markdown(page.latest.content, page.latest.page_id, targets)),
        )
        for name, page in own.items()
    ]


def _targets(pages: Iterable[FilePage]) -> dict[str, Target]:
    return {
        page.latest.page_id: Target(page.latest.title, read_outline(page.latest.content).headings) for page in pages
    }


def _as_now(page: FilePage, snapshot: Snapshot) -> FilePage:
    """Give another Markdown file, which has no version, that of its page."""
    ours = snapshot.pages.get(page.latest.page_id)
    return (
        replace(page, latest=replace(page.latest, version=ours.version, sources=ours.latest.sources)) if ours else page
    )


def _prefix(folder: Path, place: WikiPlace) -> str:
    """Return the prefix that turns paths of a folder into paths of the repository."""
    top, resolved = place.root.resolve(), folder.resolve()
    return f"{resolved.relative_to(top).as_posix()}/".removeprefix("./") if resolved.is_relative_to(top) else ""


def _check_sizes(pages: Mapping[str, FilePage]) -> None:
    _refuse(
        [
            f"{name}:{page.text_line}: a page may have at most {MAX_CONTENT_CHARS:,} characters"
            for name, page in pages.items()
            if len(page.latest.content) > MAX_CONTENT_CHARS
        ]
    )


def _texts(folder: Path) -> dict[str, str]:
    """Read the Markdown below a folder, by path, without hidden folders and links that lead out of it."""
    found: dict[str, str] = {}
    top = folder.resolve()
    wrong = []
    for path in sorted(folder.rglob("*")):
        inner = path.relative_to(folder)
        if path.suffix.lower() not in _SUFFIXES or any(part.startswith(".") for part in inner.parts):
            continue
        if not path.is_file() or not path.resolve().is_relative_to(top):
            continue
        text = _read(path)
        if text is None or "\0" in text:
            wrong.append(f"{inner.as_posix()}:1: this is not UTF-8 text, or has more than {MOST_BYTES:,} bytes")
        else:
            found[inner.as_posix()] = text
    if len(found) > MOST_FILES:
        wrong.append(f"{len(found):,} files are too many")
    _refuse(wrong)
    return found


def _parsed(texts: Mapping[str, str]) -> dict[str, FilePage]:
    found: dict[str, FilePage] = {}
    wrong = []
    for name, text in texts.items():
        try:
            page = folders.parse_page(name.rpartition("/")[2], text)
            if len(page.latest.title) > MAX_TITLE_CHARS:
                raise FileError(3, f"a title may have at most {MAX_TITLE_CHARS} characters")
            if not is_storable(_texts_of(page)):
                raise FileError(2, "an escape sequence in it stands for invalid characters")
            found[name] = page
        except FileError as error:
            wrong.append(f"{name}:{error.line}: {error}")
        except ValidationError as error:
            wrong.append(f"{name}:2: {error.message}")
    _refuse(wrong)
    _check_sizes(found)
    return found


def _texts_of(page: FilePage) -> str:
    """Return the parts of a file in which escapes may stand for any character."""
    said = [page.latest.title, page.latest.author, page.says]
    for source in page.latest.sources:
        said += (source.path, source.symbol or "", source.hash, source.file_hash)
    for failure in page.failures:
        said += (failure.author, *failure.what.source_files)
    for contradiction in page.contradictions:
        said += (contradiction.author, contradiction.what.source or "")
    return " ".join(map(str, said))


def _refuse(wrong: Sequence[str]) -> None:
    if wrong:
        raise ValidationError(
            f"nothing was imported: {'; '.join(wrong[:_NAMED])}", hint="fix these files, or remove them from the folder"
        )


def _lost(name: str, old: str | None, snapshot: Snapshot, wikis: Wikis, place: WikiPlace) -> str:
    """Return the reason why a file must not be overwritten, or "" if the wiki has its content."""
    if old is None or not folders.is_ours(old):
        return "it did not come from a wiki"
    if name == INDEX_FILE:
        return "" if folders.is_intact(old) else "it was edited by hand"
    try:
        page = folders.parse_page(name, old)
    except (FileError, ValidationError):
        return "it was edited by hand"
    ours = snapshot.pages.get(page.latest.page_id)
    if ours is None:
        return "the wiki has no such page"
    found = _resolved({name: page}, snapshot)[0]
    if not page.intact:
        return "" if _same(found, ours.latest, ours.page_type, snapshot) else "it was edited by hand"
    if page.latest.version > ours.version:
        return "it is newer than the wiki's version"
    known = wikis.history(place, page.latest.page_id)
    same = any(page.says == says_of(one, ours.page_type) for one in known if one.version == page.latest.version)
    return "" if same else "the wiki has a different version with this number"


def _read(path: Path) -> str | None:
    """Read a text with the line ends of an export; None if it is no text."""
    try:
        text = read_regular(path, MOST_BYTES).decode("utf-8")
    except (OSError, ValueError):
        return None
    return text.replace("\r\n", "\n") if text.startswith("---\r\n") else text
