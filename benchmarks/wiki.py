"""The wiki on documents of real projects: folders there and back, MkDocs, the search of pages, routing of knowledge.

    python benchmarks/wiki.py --docs FOLDER ... --foreign FOLDER ... [--mkdocs PROGRAM] [--pages N] [--data FOLDER]
        [--json OUT]

Each folder of --docs is imported into a wiki of its own, exported, imported elsewhere and exported again: the files of
both exports have to be the same bytes. With --mkdocs, `mkdocs build --strict` makes a site of each export.

Then the documents of all --docs are pages of one wiki, N of them at most.

- search: every text of a link between two of these documents is a query, and the page that the link leads to is what
  has to come first. Left out are texts that lead to several pages, that are no words, or are the words "here", "this",
  "docs" and such. Whoever wrote the link thought that its text says where it leads. `title` are those whose text is the
  title of the page or a part of it, `other` the rest. Pages are found by the texts of links to them, too: so each query
  is asked as if no link had the very same text (`right_first`), and once more with all links (`with_own_text`), which
  shows what it is where several people call a page the same. Times are of the searches in this process, one after the
  other, after one round: of the wall, and of the processor in this process alone.
- routing: of every page with three sections of 200 characters or more one is taken out, before the pages are written;
  then it has to be routed to the page that it was in. Headings that more than three pages have ("Examples", "Version
  history") do not count: what stands below them says nothing of its page. Sections of --foreign documents have to
  become new pages. At most 150 of each, drawn by chance.
"""

import argparse
import json
import random
import re
import statistics
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple
from unittest.mock import patch

sys.path.append(sys.path.pop(0))  # behind all else: mcp.py beside this file is not the package

from cocosearch_py.app import App
from cocosearch_py.config.settings import Settings
from cocosearch_py.features.wiki import search
from cocosearch_py.features.wiki.contributions import MAX_CONTENT_CHARS
from cocosearch_py.features.wiki.exchange import export_folder, import_folder
from cocosearch_py.features.wiki.import_documents import adopted
from cocosearch_py.features.wiki.links import read_outline
from cocosearch_py.features.wiki.model import Contribution, WikiPlace
from cocosearch_py.features.wiki.place import find_place
from cocosearch_py.features.wiki.routing import Routing
from cocosearch_py.features.wiki.search import WikiSearch
from cocosearch_py.features.wiki.wikis import Wikis

SEED = 14
_MOST_ROUTED = 150
_LEAST_SECTION = 200
_COMMON = 3  # pages with the same heading
_NO_TEXTS = {"here", "this", "docs", "documentation", "link", "more", "read more", "see", "above", "below", "example"}
_SECTION = re.compile(r"^## .+$", re.MULTILINE)


class Document(NamedTuple):
    """A page, and the project that it is of."""

    title: str
    content: str
    docs: str


Pages = Mapping[str, Document]


class Section(NamedTuple):
    """A part of a page, under a heading of the second level."""

    page_id: str
    text: str


def texts_of(folder: Path) -> dict[str, str]:
    """The Markdown below a folder that can be pages, by path."""
    found = {}
    for path in sorted(folder.rglob("*.md")):
        text = path.read_text(encoding="utf-8", errors="replace").replace("\0", "")
        if len(text) < MAX_CONTENT_CHARS and not any(part.startswith(".") for part in path.relative_to(folder).parts):
            found[path.relative_to(folder).as_posix()] = text
    return found


def lay_out(texts: Mapping[str, str], folder: Path) -> Path:
    for name, text in texts.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text, encoding="utf-8")
    return folder


def there_and_back(app: App, docs: Path, scratch: Path, mkdocs: str | None) -> dict[str, Any]:
    """What became of the documents of one project."""
    root = scratch / "there"
    lay_out(texts_of(docs), root / "docs")
    begun = time.perf_counter()
    taken = import_folder(Wikis(app.database), find_place(root), root / "docs", "benchmark", force=True)
    imported = time.perf_counter()
    first = scratch / "first" / "docs"
    export_folder(Wikis(app.database), find_place(root), first)
    exported = time.perf_counter()
    again = scratch / "again"
    again.mkdir()
    import_folder(Wikis(app.database), find_place(again), first, "benchmark")
    second = scratch / "second"
    export_folder(Wikis(app.database), find_place(again), second)
    files = {path.name: path.read_bytes() for path in first.iterdir()}
    links = Wikis(app.database).links(find_place(root))
    found = {
        "pages": len(taken.created),
        "links": len(links),
        "broken_links": sum(1 for link in links if link.broken),
        "import_s": round(imported - begun, 2),
        "export_s": round(exported - imported, 2),
        "identical": files == {path.name: path.read_bytes() for path in second.iterdir()},
    }
    return found | (site(first, mkdocs) if mkdocs else {})


def site(docs: Path, mkdocs: str) -> dict[str, Any]:
    """What `mkdocs build --strict` says of an export. With --quiet it would count no warnings."""
    (docs.parent / "mkdocs.yml").write_text("site_name: wiki\n")
    command = [mkdocs, "build", "--strict", "-d", str(docs.parent / "site")]
    done = subprocess.run(command, cwd=docs.parent, capture_output=True, text=True, check=False)
    warnings = [line for line in done.stderr.splitlines() if "WARNING" in line and "Material" not in line]
    return {"mkdocs_rc": done.returncode, "mkdocs_warnings": len(warnings), "mkdocs_first": warnings[:3]}


def pages_of(folders: Sequence[Path], most: int) -> dict[str, Document]:
    """The documents of all folders by id, those of each linked to each other."""
    found: dict[str, Document] = {}
    for folder in folders:
        for page in adopted(texts_of(folder), "", found.keys()).values():
            if page.latest.content.strip():
                found[page.latest.page_id] = Document(page.latest.title, page.latest.content, name_of(folder))
    return dict(list(found.items())[:most])


def sections(pages: Pages) -> Iterator[Section]:
    """One section each of pages with three, drawn by chance."""
    headings = Counter(found for page in pages.values() for found in set(_SECTION.findall(page.content)))
    for page_id, (_, content, _) in pages.items():
        starts = [match.start() for match in _SECTION.finditer(content)]
        parts = [content[start:end] for start, end in zip(starts, [*starts[1:], len(content)], strict=False)]
        own = [part for part in parts if headings[part.partition("\n")[0]] <= _COMMON]
        long = [part for part in own if len(part) >= _LEAST_SECTION]
        if len(long) >= 3:
            yield Section(page_id, random.choice(long))


def queries(pages: Pages) -> dict[str, str]:
    """The page that each text of a link leads to."""
    leads: dict[str, set[str]] = {}
    for page_id, (_, content, _) in pages.items():
        for link in read_outline(content).links:
            title = pages[link.target].title if link.target in pages else ""
            text = " ".join((link.label or title).replace("`", "").split())
            if link.target in pages and link.target != page_id and re.search(r"\w{3}", text):
                leads.setdefault(text, set()).add(link.target)
    return {text: min(ids) for text, ids in leads.items() if len(ids) == 1 and text.lower() not in _NO_TEXTS}


def measure_search(app: App, place: WikiPlace, pages: Pages) -> dict[str, Any]:
    wanted = queries(pages)
    with_own, times, cpu = [], [], []
    for text in wanted:  # a round to warm up
        WikiSearch(app).pages(place, text, 5)
    for text, page_id in wanted.items():
        begun, begun_cpu = time.perf_counter(), time.process_time()
        hits, _ = WikiSearch(app).pages(place, text, 5)
        times.append(1000 * (time.perf_counter() - begun))
        cpu.append(1000 * (time.process_time() - begun_cpu))
        with_own.append([hit.page.page_id for hit in hits][:1] == [page_id])
    kinds: dict[str, list[bool]] = {"title": [], "other": []}
    projects: dict[str, list[bool]] = {}
    among: list[bool] = []
    for text, page_id in wanted.items():
        with without_text(text):
            ids = [hit.page.page_id for hit in WikiSearch(app).pages(place, text, 5)[0]]
        right = ids[:1] == [page_id]
        kinds["title" if text.lower() in pages[page_id].title.lower() else "other"].append(right)
        projects.setdefault(pages[page_id].docs, []).append(right)
        among.append(page_id in ids)
    every = [*kinds["title"], *kinds["other"]]
    return {
        "queries": len(every),
        "right_first": round(statistics.mean(every), 3),
        "right_among_5": round(statistics.mean(among), 3),
        **{f"right_first_{name}": [round(statistics.mean(one), 3), len(one)] for name, one in kinds.items() if one},
        "by_project": {name: [round(statistics.mean(one), 3), len(one)] for name, one in projects.items()},
        "with_own_text": round(statistics.mean(with_own), 3),
        "p50_ms": round(statistics.median(times), 1),
        "p95_ms": round(sorted(times)[int(0.95 * len(times))], 1),
        "cpu_p50_ms": round(statistics.median(cpu), 1),
        "cpu_p95_ms": round(sorted(cpu)[int(0.95 * len(cpu))], 1),
    }


@contextmanager
def without_text(text: str) -> Iterator[None]:
    """Let pages be called as if no link had this text."""
    real = search.called

    def others(page_id: str, title: str, headings: Iterable[str], labels: Sequence[tuple[str | None, int]]) -> Any:
        return real(page_id, title, headings, [one for one in labels if (one[0] or "").lower() != text.lower()])

    with patch.object(search, "called", others):
        yield


def measure_routing(app: App, place: WikiPlace, held: Sequence[Section], foreign: Sequence[Section]) -> dict[str, Any]:
    right = new = among = 0
    for one in held:
        route = Routing.of(app).route(place, one.text)
        right += route.page is not None and route.page.page_id == one.page_id
        new += route.page is None
        among += one.page_id in [candidate.page.page_id for candidate in route.candidates]
    apart = sum(Routing.of(app).route(place, one.text).page is None for one in foreign)
    return {
        "held_out": len(held),
        "routed_back": round(right / len(held), 3),
        "among_candidates": round(among / len(held), 3),
        "taken_for_new": round(new / len(held), 3),
        "foreign": len(foreign),
        "foreign_as_new_pages": round(apart / len(foreign), 3),
    }


def main() -> None:
    """Measure, print, and write --json."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--docs", type=Path, nargs="+", required=True)
    parser.add_argument("--foreign", type=Path, nargs="+", default=[])
    parser.add_argument("--mkdocs")
    parser.add_argument("--pages", type=int, default=1000)
    parser.add_argument("--data", type=Path)
    parser.add_argument("--json", type=Path)
    parser.add_argument("--only", choices=("folders", "search"), default=None)
    options = parser.parse_args()
    random.seed(SEED)
    told: dict[str, Any] = {}
    with tempfile.TemporaryDirectory() as scratch, App(Settings(), options.data or Path(scratch) / "data") as app:
        for number, docs in enumerate(options.docs if options.only != "search" else ()):
            told.setdefault("folders", []).append(
                there_and_back(app, docs, Path(scratch) / str(number), options.mkdocs) | {"docs": name_of(docs)}
            )
            print(json.dumps(told["folders"][-1]))
        if options.only != "folders":
            pages = pages_of(options.docs, options.pages)
            held = random.sample(found := list(sections(pages)), min(_MOST_ROUTED, len(found)))
            others = list(sections(pages_of(options.foreign, options.pages)))
            foreign = random.sample(others, min(_MOST_ROUTED, len(others)))
            cut = {one.page_id: one.text for one in held}
            (root := Path(scratch) / "one").mkdir()
            Wikis(app.database).start(place := find_place(root))
            for page_id, (title, content, _) in pages.items():
                rest = content.replace(cut.get(page_id, "\0"), "")
                Wikis(app.database).write(place, Contribution(page_id, content=rest, title=title, author="benchmark"))
            told["pages"] = len(pages)
            begun = time.perf_counter()
            WikiSearch(app).pages(place, "anything", 1)
            told["first_search_s"] = round(time.perf_counter() - begun, 2)
            told["search"] = measure_search(app, place, pages)
            print(json.dumps(told["search"]))
            told["routing"] = measure_routing(app, place, held, foreign)
            print(json.dumps(told["routing"]))
        if not options.data:
            app.database.close()
    if options.json:
        options.json.write_text(json.dumps(told, indent=1) + "\n")


def name_of(docs: Path) -> str:
    """The project of a folder of documents."""
    parts = [one for one in docs.parts if one not in ("docs", "en")]
    return parts[-1] if parts else str(docs)


if __name__ == "__main__":
    main()
