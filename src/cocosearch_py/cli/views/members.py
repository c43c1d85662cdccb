"""The members of a workspace on a terminal."""

from cocosearch_py.cli.session import Session
from cocosearch_py.model.counts import counted
from cocosearch_py.operations import list_workspace_members
from cocosearch_py.operations.list_workspace_members import MembersFound
from cocosearch_py.render.layout import Table, shown
from cocosearch_py.render.paths import local_path

_LANGUAGES_SHOWN = 4


def show_members(session: Session, found: MembersFound, asked: list_workspace_members.Arguments) -> None:
    """One line for each member."""
    answer = list_workspace_members.OPERATION.shape(found, asked)
    rows = Table("member", "folder", "files", "languages", right=("files",))
    for item in answer["members"]:
        languages = shown(", ".join(item["languages"][:_LANGUAGES_SHOWN]))
        folder = shown(local_path(answer["root"], item["path"]))
        rows.add_row(f"[bold green]{shown(item['name'])}[/]", folder, f"{item['files']:,}", languages)
    rows.print_to(session.console)
    total = counted(len(found.members.members), "member")
    session.note(f"{answer['workspace_type']}: {len(answer['members']):,} of {total}")
