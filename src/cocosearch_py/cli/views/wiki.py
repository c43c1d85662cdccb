"""Pages of a wiki on a terminal."""

from typing import TYPE_CHECKING, Any

from cocosearch_py.cli.session import Session
from cocosearch_py.cli.views.layout import Table, shown
from cocosearch_py.model.counts import counted
from cocosearch_py.operations import wiki_diff, wiki_search, wiki_status
from cocosearch_py.operations.common.answers import Json
from cocosearch_py.operations.common.wikis import source_item

if TYPE_CHECKING:
    from cocosearch_py.model.wiki import PageView
    from cocosearch_py.wiki.status import Status

_EXCERPT_LINES = 8


def show_pages(session: Session, found: "wiki_search.PagesFound", _: "wiki_search.Arguments") -> None:
    """Print pages with the passages that answer."""
    console = session.console
    for hit in found.pages:
        stale = "  [yellow]stale[/]" if any(one.is_stale for one in found.states[hit.page.page_id]) else ""
        title = f"[cyan]{shown(hit.page.page_id)}[/]  {shown(hit.page.title)}  [dim]{hit.score:.2f}[/]{stale}"
        console.print(title, soft_wrap=True)
        for line in hit.excerpt.strip().splitlines()[:_EXCERPT_LINES]:
            console.print(f"  {shown(line)}", soft_wrap=True, highlight=False)
    failures = [*(one for own in found.failures.values() for one in own), *found.alike]
    for one in {(one.page_id, one.failure_no): one for one in failures}.values():
        told = f"[red]failed[/] {shown(one.page_id)} {one.failure_no}: {shown(one.what.symptom)}"
        console.print(f"{told}; tried: {shown(one.what.attempted_fix)}; why: {shown(one.what.diagnosis)}")
    if not found.pages:
        console.print("[yellow]nothing found[/]")


def show_page(session: Session, view: "PageView", _: Any) -> None:
    """Print a page, then what is to be known of it."""
    page, console = view.page, session.console
    console.print(shown(page.latest.content.rstrip()), soft_wrap=True, highlight=False)
    when = page.latest.written_at.strftime("%Y-%m-%d %H:%M")
    session.note(f"{page.page_id} ({page.page_type}), version {page.version}, {page.latest.author}, {when}")
    if view.sources:
        session.note("about: " + ", ".join(_source(source_item(one)) for one in view.sources))
    if view.into:
        session.note("linked from: " + ", ".join(dict.fromkeys(one.page_id for one in view.into)))
    for link in view.out:
        if link.broken:
            session.warn(f"line {link.line}: {link.broken}")
    for contradiction in view.contradictions:
        if contradiction.resolved_at is None:
            session.warn(f"contradicted: {contradiction.what.description}")
    for failure in view.failures:
        if failure.resolved_at is None:
            session.warn(f"failed: {failure.what.symptom}; tried: {failure.what.attempted_fix}")


def show_status(session: Session, status: "Status", asked: "wiki_status.Arguments") -> None:
    """Print the pages, then what needs work."""
    told = wiki_status.OPERATION.shape(status, asked)
    rows = Table("page", "title", "type", "version", "written", right=["version"])
    for one in told["pages"]:
        rows.add_row(
            *map(shown, (one["page"], one["title"], one["page_type"], str(one["version"]), one["updated_at"][:16]))
        )
    rows.print_to(session.console)
    covered = told["source_coverage"]
    behind = told["commits_behind"]
    session.note(
        f"{counted(told['page_count'], 'page')} about {covered['covered']} of {counted(covered['files'], 'code file')}"
        + (f", {counted(behind, 'commit')} behind" if behind is not None else "")
    )
    for page in told["stale_pages"]:
        session.warn(f"{page['page']}: {', '.join(_source(one) for one in page['sources'])}")
    for moved in told["moved_sources"]:
        session.note(f"{moved['page']}: {_source(moved)}")
    for link in told["broken_links"]:
        session.warn(f"{link['page']}, line {link['line']}: {link['reason']}")
    for name in ("contradictions", "failures"):
        if told[f"unresolved_{name}"]:
            session.warn(f"unresolved {name}: {told[f'unresolved_{name}']}")


def show_diff(session: Session, versions: Any, asked: "wiki_diff.Arguments") -> None:
    """Print what changed."""
    session.console.print(shown(wiki_diff.OPERATION.shape(versions, asked)["diff"]), soft_wrap=True, highlight=False)


def _source(one: Json) -> str:
    moved = f" to {one['moved_to']}" if one.get("moved_to") else ""
    return f"{one['source']} {one['state']}{moved}"
