"""Wikis on a terminal."""

from cocosearch_py.model.counts import counted
from cocosearch_py.render.layout import Table, shown
from cocosearch_py.render.screen import Screen
from cocosearch_py.tools.answers import Json

_EXCERPT_LINES = 8


def show_found_pages(screen: Screen, answer: Json) -> None:
    """Print pages with their best passages, then failures."""
    console = screen.console
    for page in answer["pages"]:
        stale = "  [yellow]stale[/]" if page["stale"] else ""
        title = f"[cyan]{shown(page['id'])}[/]  {shown(page['title'])}  [dim]{page['score']:.2f}[/]{stale}"
        console.print(title, soft_wrap=True)
        for line in page["excerpt"].splitlines()[:_EXCERPT_LINES]:
            console.print(f"  {shown(line)}", soft_wrap=True, highlight=False)
    failures = [*(failure for page in answer["pages"] for failure in page.get("failures", ()))]
    failures += answer.get("failures", ())
    for failure in {(failure["page"], failure["failure_id"]): failure for failure in failures}.values():
        symptom = f"[red]failed[/] {shown(failure['page'])} {failure['failure_id']}: {shown(failure['symptom'])}"
        console.print(f"{symptom}; tried: {shown(failure['attempted_fix'])}; why: {shown(failure['diagnosis'])}")
    if not answer["pages"]:
        console.print("[yellow]nothing found[/]")


def show_page(screen: Screen, answer: Json) -> None:
    """Print a page, then its sources, links and open notes."""
    screen.console.print(shown(answer["content"].rstrip()), soft_wrap=True, highlight=False)
    when = answer["updated_at"][:16].replace("T", " ")
    screen.note(f"{answer['page']} ({answer['page_type']}), version {answer['version']}, {answer['author']}, {when}")
    if "next_line" in answer:
        screen.note(f"the page goes on: --start-line {answer['next_line']} shows the rest")
    if answer["source_files"]:
        screen.note("about: " + ", ".join(map(_source, answer["source_files"])))
    if answer["linked_from"]:
        screen.note("linked from: " + ", ".join(answer["linked_from"]))
    for link in answer["links"]:
        if "broken" in link:
            screen.warn(f"line {link['line']}: {link['broken']}")
    for contradiction in answer["contradictions"]:
        screen.warn(f"contradicted: {contradiction['description']}")
    for failure in answer["failures"]:
        screen.warn(f"failed: {failure['symptom']}; tried: {failure['attempted_fix']}")


def show_status(screen: Screen, answer: Json) -> None:
    """Print the pages, then those that need work."""
    rows = Table("page", "title", "type", "version", "written", right=["version"])
    for page in answer["pages"]:
        cells = (page["page"], page["title"], page["page_type"], str(page["version"]), page["updated_at"][:16])
        rows.add_row(*map(shown, cells))
    rows.print_to(screen.console)
    coverage, behind = answer["source_coverage"], answer["commits_behind"]
    screen.note(
        f"{counted(answer['page_count'], 'page')} about {coverage['covered']} of "
        f"{counted(coverage['files'], 'code file')}"
        + (f", {counted(behind, 'commit')} behind" if behind is not None else "")
    )
    for page in answer["stale_pages"]:
        screen.warn(f"{page['page']}: {', '.join(map(_source, page['sources']))}")
    for moved in answer["moved_sources"]:
        screen.note(f"{moved['page']}: {_source(moved)}")
    for link in answer["broken_links"]:
        screen.warn(f"{link['page']}, line {link['line']}: {link['reason']}")
    for name in ("contradictions", "failures"):
        if count := answer[f"unresolved_{name}"]:
            screen.warn(f"unresolved {name}: {count}")


def show_diff(screen: Screen, answer: Json) -> None:
    """Print a diff."""
    screen.console.print(shown(answer["diff"]), soft_wrap=True, highlight=False)


def show_new_wiki(screen: Screen, answer: Json) -> None:
    """Print the map of the repository, then the pages that are suggested for its wiki."""
    screen.console.print(shown(answer["repo_map"]), soft_wrap=True, highlight=False)
    rows = Table("page", "type", "why", "about")
    for page in answer["suggested_pages"]:
        sources = shown(", ".join(page["source_files"]))
        rows.add_row(f"[cyan]{shown(page['page'])}[/]", page["page_type"], shown(page["why"]), sources)
    screen.console.print()
    rows.print_to(screen.console)
    screen.note("a new wiki" + ("; the previous one was archived" if answer["archived"] else ""))


def show_outdated(screen: Screen, answer: Json) -> None:
    """Print pages to rewrite, each with the changes of its sources."""
    console = screen.console
    for page in answer["pages"]:
        console.print(f"[cyan]{shown(page['page'])}[/]  {shown(page['title'])}", soft_wrap=True)
        for source in page["sources"]:
            moved = f" to {shown(source['moved_to'])}" if "moved_to" in source else ""
            console.print(f"  {shown(source['source'])} [yellow]{source['state']}[/]{moved}", soft_wrap=True)
        for file in page["changes"]:
            for status in ("added", "removed", "signature_changed", "body_changed"):
                for item in file.get(status, ()):
                    change = f"{status.replace('_', ' ')}: {shown(item['signature'])}"
                    console.print(f"    {change}", soft_wrap=True, highlight=False)
    if answer["uncovered_files"]:
        screen.note(f"changed, but not covered by any page: {', '.join(answer['uncovered_files'])}")
    screen.note(f"{counted(answer['total'], 'page')} to rewrite since {answer['since_ref'] or 'they were written'}")


def show_exported(screen: Screen, answer: Json) -> None:
    """Print the number of written files."""
    written, unchanged = answer["written"], answer["unchanged"]
    line = f"{counted(len(written), 'file')} written, {len(unchanged):,} unchanged in {answer['folder']}"
    screen.console.print(shown(line), soft_wrap=True)
    if answer["left"]:
        screen.note(f"files left, whose pages are not in the wiki: {', '.join(answer['left'])}")


def show_imported(screen: Screen, answer: Json) -> None:
    """Print the pages that the import changed or kept."""
    for label, field in (("created", "created"), ("updated", "updated"), ("newer in the wiki", "kept")):
        for page in answer[field]:
            screen.console.print(f"[green]{label}[/] {shown(page)}", soft_wrap=True)
    screen.note(f"{counted(len(answer['unchanged']), 'page')} unchanged")


def show_moved(screen: Screen, answer: Json) -> None:
    """Print a renamed or removed page, and the links that were updated or broken."""
    page, version, moved_to = answer["page"], answer["version"], answer["moved_to"]
    if page == moved_to:
        screen.console.print(f"[cyan]{shown(page)}[/]  {shown(answer['title'])}, version {version}")
    else:
        leads = f"; its id now redirects to {moved_to}" if moved_to is not None else ""
        back = f"`wiki restore {page} {version}` brings it back"
        screen.console.print(shown(f"removed {page}{leads}: {back}"), soft_wrap=True)
    if answer["rewritten"]:
        screen.note(f"links updated in {', '.join(answer['rewritten'])}")
    for link in answer["broken_links"]:
        screen.warn(f"{link['page']}, line {link['line']}: {link['reason']}")


def show_written(screen: Screen, answer: Json) -> None:
    """Print the version that was written, its notes, and its broken links and missing sources."""
    done = "created" if answer["created"] else "updated" if answer["updated"] else "unchanged"
    _print_page(screen, answer, f", version {answer['version']}: {done}")
    for number in answer["failure_ids"]:
        screen.note(f"recorded failure {number}")
    for name in ("contradictions", "failures"):
        if count := answer[f"resolved_{name}"]:
            screen.note(f"{count} {name} are resolved")
    for source in answer["missing_sources"]:
        screen.warn(f"no source '{source}'")


def show_placement(screen: Screen, answer: Json) -> None:
    """Print the page that a text belongs to, and whether it was written."""
    created = answer["action"] == "create"
    if answer["applied"]:
        _print_page(screen, answer, f", version {answer['version']}: {'created' if created else 'updated'}")
    else:
        _print_page(screen, answer, ": would be created" if created else ": the text belongs there")
    if alternatives := [page["page"] for page in answer["alternatives"]]:
        screen.note(f"it might belong to {', '.join(alternatives)}")


def show_recorded_failure(screen: Screen, answer: Json) -> None:
    """Print the page of a failure, and failures like it."""
    page = f"[cyan]{shown(answer['page'])}[/]" + (", a new page" if answer["created"] else "")
    screen.console.print(f"recorded failure {answer['failure_id']} in {page}", soft_wrap=True)
    for failure in answer["similar_failures"]:
        like = f"like {shown(failure['page'])} {failure['failure_id']}: {shown(failure['symptom'])}"
        helped = f"; helped: {shown(failure['actual_fix'])}" if failure["actual_fix"] else ""
        screen.console.print(f"  {like}; tried: {shown(failure['attempted_fix'])}{helped}", soft_wrap=True)


def _print_page(screen: Screen, answer: Json, rest: str) -> None:
    screen.console.print(f"[cyan]{shown(answer['page'])}[/]  {shown(answer['title'])}{rest}", soft_wrap=True)
    for link in answer.get("broken_links", ()):
        screen.warn(f"line {link['line']}: {link['reason']}")


def _source(item: Json) -> str:
    moved = f" to {item['moved_to']}" if "moved_to" in item else ""
    return f"{item['source']} {item['state']}{moved}"
