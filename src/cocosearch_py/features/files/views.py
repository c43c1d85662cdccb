"""The cost of files on a terminal."""

from cocosearch_py.model.counts import counted
from cocosearch_py.render.layout import Table, print_pairs, shown
from cocosearch_py.render.paths import local_path
from cocosearch_py.render.screen import Screen
from cocosearch_py.tools.answers import Json
from cocosearch_py.tools.wording import in_commands


def show_tokens(screen: Screen, answer: Json) -> None:
    """Show files with their tokens and the total, or a file with a cheaper way to read it."""
    console = screen.console
    if "files" in answer:
        table = Table("tokens", "lines", "file", right=("tokens", "lines"))
        for item in answer["files"]:
            path = shown(local_path(answer["root"], item["file"]))
            table.add_row(f"{item['tokens']:,}", f"{item['lines']:,}", path)
        table.print_to(console)
        about = "about " if answer["is_estimate"] else ""
        console.print(f"{about}{counted(answer['total_tokens'], 'token')} in {counted(answer['file_count'], 'file')}")
        return
    console.print(f"[bold cyan]{shown(local_path(answer['root'], answer['file']))}[/]", soft_wrap=True)
    console.print(f"  {counted(answer['full_file_tokens'], 'token')}, {counted(answer['full_file_lines'], 'line')}")
    if "symbol" in answer:
        size = f"{counted(answer['symbol_tokens'], 'token')}, {counted(answer['symbol_lines'], 'line')}"
        console.print(f"  {shown(answer['symbol'])}: {size}", soft_wrap=True)
    print_pairs(console, [("", shown(in_commands(answer.get("recommendation") or answer["savings"])))])
