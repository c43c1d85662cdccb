"""What there is to write in a wiki, and what became of its folders, on a terminal."""

from typing import TYPE_CHECKING, Any

from cocosearch_py.cli.session import Session
from cocosearch_py.cli.views.layout import Table, shown
from cocosearch_py.model.counts import counted
from cocosearch_py.operations import wiki_compound, wiki_contribute, wiki_generate, wiki_record_failure, wiki_update

if TYPE_CHECKING:
    from cocosearch_py.model.wiki import Moved, Written
    from cocosearch_py.operations.common.answers import Json
    from cocosearch_py.operations.wiki_generate import Generated
    from cocosearch_py.operations.wiki_update import Affected
    from cocosearch_py.wiki.exchange import Exported, Imported


def show_generated(session: Session, made: "Generated", asked: Any) -> None:
    """Print the pages that a new wiki may have, after the map of the repository."""
    answer = wiki_generate.OPERATION.shape(made, asked)
    session.console.print(shown(answer["repo_map"]), soft_wrap=True, highlight=False)
    rows = Table("page", "type", "why", "about")
    for one in answer["suggested_pages"]:
        rows.add_row(
            f"[cyan]{shown(one['page'])}[/]", one["page_type"], shown(one["why"]), shown(", ".join(one["source_files"]))
        )
    session.console.print()
    rows.print_to(session.console)
    session.note("a new wiki" + ("; the previous one was archived" if made.archived else ""))


def show_affected(session: Session, affected: "Affected", asked: Any) -> None:
    """Print pages to rewrite, each with what changed of what it is about."""
    answer = wiki_update.OPERATION.shape(affected, asked)
    for page in answer["pages"]:
        session.console.print(f"[cyan]{shown(page['page'])}[/]  {shown(page['title'])}", soft_wrap=True)
        for one in page["sources"]:
            moved = f" to {shown(one['moved_to'])}" if "moved_to" in one else ""
            session.console.print(f"  {shown(one['source'])} [yellow]{one['state']}[/]{moved}", soft_wrap=True)
        for file in page["changes"]:
            for status in ("added", "removed", "signature_changed", "body_changed"):
                for item in file.get(status, ()):
                    told = f"{status.replace('_', ' ')}: {shown(item['signature'])}"
                    session.console.print(f"    {told}", soft_wrap=True, highlight=False)
    if answer["uncovered_files"]:
        session.note(f"changed, but not covered by any page: {', '.join(answer['uncovered_files'])}")
    session.note(f"{counted(answer['total'], 'page')} to rewrite since {answer['since_ref'] or 'they were written'}")


def show_exported(session: Session, done: "Exported", _: Any) -> None:
    """Print how many files were written."""
    told = f"{counted(len(done.written), 'file')} written, {len(done.unchanged):,} unchanged in {done.folder}"
    session.console.print(shown(told), soft_wrap=True)
    if done.left:
        session.note(f"files left, whose pages are not in the wiki: {', '.join(done.left)}")


def show_imported(session: Session, done: "Imported", _: Any) -> None:
    """Print what became of each page that is not as before."""
    for name, pages in (("created", done.created), ("updated", done.updated), ("newer in the wiki", done.kept)):
        for page in pages:
            session.console.print(f"[green]{name}[/] {shown(page)}", soft_wrap=True)
    session.note(f"{counted(len(done.unchanged), 'page')} unchanged")


def show_moved(session: Session, moved: "Moved", _: Any) -> None:
    """Print what became of a page, and of the links to it."""
    page = moved.page
    if page.page_id == moved.moved_to:
        session.console.print(f"[cyan]{shown(page.page_id)}[/]  {shown(page.title)}, version {page.version}")
    else:
        leads = f"; its id now redirects to {moved.moved_to}" if moved.moved_to is not None else ""
        back = f"`wiki restore {page.page_id} {page.version}` brings it back"
        session.console.print(shown(f"removed {page.page_id}{leads}: {back}"), soft_wrap=True)
    if moved.rewritten:
        session.note(f"links updated in {', '.join(moved.rewritten)}")
    for link in moved.broken:
        session.warn(f"{link.page_id}, line {link.line}: {link.broken}")


def show_written(session: Session, written: "Written", _: Any) -> None:
    """Print which version of a page was written, and what is wrong with it."""
    answer = wiki_contribute.written_answer(written)
    done = "created" if answer["created"] else "updated" if answer["updated"] else "unchanged"
    _print_page(session, answer, f", version {answer['version']}: {done}")
    for number in answer["failure_ids"]:
        session.note(f"recorded failure {number}")
    for name in ("contradictions", "failures"):
        if answer[f"resolved_{name}"]:
            session.note(f"{answer[f'resolved_{name}']} {name} are resolved")
    for source in answer["missing_sources"]:
        session.warn(f"no source '{source}'")


def show_compounded(session: Session, made: Any, asked: Any) -> None:
    """Print which page a text belongs to, and whether it is there by now."""
    answer = wiki_compound.OPERATION.shape(made, asked)
    created = answer["action"] == "create"
    if answer["applied"]:
        _print_page(session, answer, f", version {answer['version']}: {'created' if created else 'updated'}")
    else:
        _print_page(session, answer, ": would be created" if created else ": the text belongs there")
    if others := [one["page"] for one in answer["alternatives"]]:
        session.note(f"it might belong to {', '.join(others)}")


def show_recorded(session: Session, made: Any, asked: Any) -> None:
    """Print where a failure is kept, and those like it."""
    answer = wiki_record_failure.OPERATION.shape(made, asked)
    page = f"[cyan]{shown(answer['page'])}[/]" + (", a new page" if answer["created"] else "")
    session.console.print(f"recorded failure {answer['failure_id']} in {page}", soft_wrap=True)
    for one in answer["similar_failures"]:
        told = f"like {shown(one['page'])} {one['failure_id']}: {shown(one['symptom'])}"
        helped = f"; helped: {shown(one['actual_fix'])}" if one["actual_fix"] else ""
        session.console.print(f"  {told}; tried: {shown(one['attempted_fix'])}{helped}", soft_wrap=True)


def _print_page(session: Session, answer: "Json", told: str) -> None:
    session.console.print(f"[cyan]{shown(answer['page'])}[/]  {shown(answer['title'])}{told}", soft_wrap=True)
    for link in answer.get("broken_links", ()):
        session.warn(f"line {link['line']}: {link['reason']}")
