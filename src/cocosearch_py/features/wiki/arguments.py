"""Arguments of the tools for wikis."""

import sys
from pathlib import Path
from typing import Annotated, Any

from cocosearch_py.errors import ValidationError
from cocosearch_py.tools.answer import Arguments
from cocosearch_py.tools.declaration import UNLISTED, About, Flag
from cocosearch_py.tools.sizes import NOTES, PAGE_TEXT, QUERY, SOURCES

MAX_LIMIT = 50


def text_or_file(text: str | None) -> str | None:
    """Return a text of the command line: `-` reads standard input, `@FILE` a file."""
    if text == "-":
        return sys.stdin.read()
    if text is not None and text.startswith("@"):
        try:
            return Path(text[1:]).read_text(encoding="utf-8")
        except (OSError, ValueError) as error:
            raise ValidationError(f"{text[1:]} cannot be read: {error}", hint="name a text file in UTF-8") from error
    return text


IndexName = Annotated[
    str | None,
    About("Index of the repository; null: the current project's"),
    UNLISTED,
    Flag(
        names=("--index", "-n"),
        metavar="NAME",
        filled=True,
        help="Index of the repository (default: the current folder's).",
    ),
]
Author = Annotated[
    str | None,
    About("Author; null: the client"),
    UNLISTED,
    Flag(names=("--author",), metavar="NAME", filled=True, help="Author (default: the command line)."),
]
Sources = Annotated[
    list[str] | None,
    About("Files that the page covers: path or path#symbol"),
    SOURCES,
    Flag(names=("--source",), metavar="PATH[#SYMBOL]", help="File or symbol that it covers; can be repeated."),
]
PageName = Annotated[str, Flag(metavar="PAGE", help="Page ID, or part of its title.")]


class WikiGenerateArguments(Arguments):
    """Parameters of wiki_generate."""

    force: Annotated[
        bool,
        About("Archive the existing wiki and start again"),
        Flag(names=("--force",), help="Archive the existing wiki and start again."),
    ] = False
    index_name: IndexName = None


class WikiSearchArguments(Arguments):
    """Parameters of wiki_search."""

    query: Annotated[str, About("Subject to search for"), QUERY, Flag(metavar="QUERY", help="Subject to search for.")]
    limit: Annotated[
        int,
        About("Pages, 1-50"),
        Flag(
            names=("-l", "--limit"), metavar="N", minimum=1, maximum=MAX_LIMIT, help="Maximum number of pages (1–50)."
        ),
    ] = 5
    include_failures: Annotated[
        bool,
        About("Add recorded failures of the pages, and failures like the query"),
        Flag(names=("--failures",), help="Also show recorded failures of the pages, and failures like the query."),
    ] = False
    page_type: Annotated[
        str | None,
        About("Only architecture, module, entity or topic"),
        UNLISTED,
        Flag(names=("--type",), metavar="TYPE", help="Only pages of this type."),
    ] = None
    index_name: IndexName = None


class WikiReadArguments(Arguments):
    """Parameters of wiki_read."""

    page: Annotated[
        str, About("Page ID, or all or part of its title"), Flag(metavar="PAGE", help="Page ID, or part of its title.")
    ]
    start_line: Annotated[
        int,
        About("First line of the text, from 1"),
        UNLISTED,
        Flag(names=("--start-line",), metavar="N", minimum=1, help="Start at this line of the text."),
    ] = 1
    index_name: IndexName = None


class WikiStatusArguments(Arguments):
    """Parameters of wiki_status."""

    index_name: IndexName = None


class WikiContributeArguments(Arguments):
    """Parameters of wiki_contribute."""

    page: Annotated[
        str,
        About("Page ID: lower case, digits, -; a new ID creates a page"),
        Flag(metavar="PAGE", help="Page ID; a new ID creates a page."),
    ]
    content: Annotated[
        str,
        About("Whole page in Markdown; [[page-id]] links to a page"),
        PAGE_TEXT,
        Flag(
            metavar="TEXT",
            read=text_or_file,
            help="Whole page in Markdown; @FILE reads a file, - reads standard input.",
        ),
    ]
    title: Annotated[
        str | None,
        About("Title; required for a new page"),
        Flag(names=("--title",), metavar="TITLE", help="Title; required for a new page."),
    ] = None
    page_type: Annotated[
        str | None,
        About("For a new page: architecture, module, entity or topic (default)"),
        Flag(
            names=("--type",),
            metavar="TYPE",
            help="Type of a new page: architecture, module, entity or topic (default).",
        ),
    ] = None
    source_files: Sources = None
    contradictions: Annotated[
        list[dict[str, Any]] | None, About("To add: {description, source?}; source: where it is stated"), NOTES
    ] = None
    resolve_contradictions: Annotated[
        bool,
        About("Mark the existing ones as resolved"),
        Flag(names=("--resolve-contradictions",), help="Mark the page's existing contradictions as resolved."),
    ] = False
    failures: Annotated[
        list[dict[str, Any]] | None,
        About("To add: {symptom, attempted_fix, diagnosis, actual_fix?, source_files?}"),
        NOTES,
    ] = None
    resolve_failures: Annotated[
        bool,
        About("Mark the existing ones as resolved"),
        Flag(names=("--resolve-failures",), help="Mark the page's existing failures as resolved."),
    ] = False
    if_version: Annotated[
        int | None,
        About("Write only if this is the latest version; 0: only a new page"),
        Flag(
            names=("--if-version",),
            metavar="N",
            minimum=0,
            help="Write only if this is the page's latest version; 0 means only a new page.",
        ),
    ] = None
    author: Author = None
    index_name: IndexName = None


class WikiUpdateArguments(Arguments):
    """Parameters of wiki_update."""

    since: Annotated[
        str | None,
        About("Branch, tag or commit; null: where all pages were last up to date"),
        Flag(
            names=("--since",),
            metavar="REF",
            help="Branch, tag or commit (default: where all pages were last up to date).",
        ),
    ] = None
    index_name: IndexName = None


class WikiCompoundArguments(Arguments):
    """Parameters of wiki_compound."""

    synthesis: Annotated[
        str,
        About("Text to add, in Markdown"),
        PAGE_TEXT,
        Flag(metavar="TEXT", read=text_or_file, help="Text to add; @FILE reads a file, - reads standard input."),
    ]
    source_pages: Annotated[
        list[str] | None,
        About("IDs of the pages it came from"),
        Flag(names=("--source-page",), metavar="PAGE", help="Page that it came from; can be repeated."),
    ] = None
    title: Annotated[
        str | None,
        About("Title of the new page or section"),
        Flag(names=("--title",), metavar="TITLE", help="Title of the new page or section."),
    ] = None
    apply: Annotated[
        bool,
        About("false: only report where it belongs"),
        Flag(names=("--apply/--suggest",), help="Write it, or only show where it belongs. [default: write]"),
    ] = True
    author: Author = None
    index_name: IndexName = None


class WikiRecordFailureArguments(Arguments):
    """Parameters of wiki_record_failure."""

    symptom: Annotated[
        str, About("Observed problem"), NOTES, Flag(names=("--symptom",), metavar="TEXT", help="Observed problem.")
    ]
    attempted_fix: Annotated[
        str,
        About("Attempted fix"),
        NOTES,
        Flag(names=("--attempted-fix",), metavar="TEXT", help="Attempted fix."),
    ]
    diagnosis: Annotated[
        str,
        About("Reason it failed"),
        NOTES,
        Flag(names=("--diagnosis",), metavar="TEXT", help="Reason why the fix failed."),
    ]
    actual_fix: Annotated[
        str | None,
        About("Fix that worked, if known"),
        NOTES,
        Flag(names=("--actual-fix",), metavar="TEXT", help="Fix that worked, if known."),
    ] = None
    source_files: Sources = None
    page: Annotated[
        str | None,
        About("Page to record it on; null: the best match"),
        Flag(names=("--page",), metavar="PAGE", help="Page to record it on (default: the best match)."),
    ] = None
    author: Author = None
    index_name: IndexName = None


class WikiHistoryArguments(Arguments):
    """Parameters of wiki_history."""

    page: PageName
    index_name: IndexName = None


class WikiDiffArguments(Arguments):
    """Parameters of wiki_diff."""

    page: PageName
    from_version: Annotated[
        int | None,
        Flag(names=("--from",), metavar="N", minimum=1, help="Older version (default: the one before --to)."),
    ] = None
    to_version: Annotated[
        int | None, Flag(names=("--to",), metavar="N", minimum=1, help="Newer version (default: the latest).")
    ] = None
    index_name: IndexName = None


class WikiRestoreArguments(Arguments):
    """Parameters of wiki_restore."""

    page: PageName
    version: Annotated[int, Flag(metavar="VERSION", minimum=1, help="Version to restore.")]
    author: Author = None
    index_name: IndexName = None


class WikiRenameArguments(Arguments):
    """Parameters of wiki_rename."""

    page: PageName
    new_id: Annotated[str, Flag(metavar="NEW_ID", help="New page ID.")]
    title: Annotated[str | None, Flag(names=("--title",), metavar="TITLE", help="New title (default: unchanged).")] = (
        None
    )
    author: Author = None
    index_name: IndexName = None


class WikiRemoveArguments(Arguments):
    """Parameters of wiki_remove."""

    page: PageName
    to: Annotated[
        str | None,
        Flag(names=("--to",), metavar="PAGE", help="Page that the old ID and links lead to from now on."),
    ] = None
    author: Author = None
    index_name: IndexName = None


class WikiExportArguments(Arguments):
    """Parameters of wiki_export."""

    folder: Annotated[str, Flag(metavar="FOLDER", help="Target folder; created if it does not exist.", filled=True)]
    force: Annotated[bool, Flag(names=("--force",), help="Also overwrite other files and files changed by hand.")] = (
        False
    )
    index_name: IndexName = None


class WikiImportArguments(Arguments):
    """Parameters of wiki_import."""

    folder: Annotated[
        str, Flag(metavar="FOLDER", help="Folder written by `wiki export`, or other Markdown.", filled=True)
    ]
    force: Annotated[
        bool,
        Flag(names=("--force",), help="Import other Markdown files too; if both sides changed, take the file."),
    ] = False
    author: Author = None
    index_name: IndexName = None
