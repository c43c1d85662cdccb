"""Tools for the wiki of a repository: pages in versions, their sources and links, and recorded failures."""

from typing import Any

from cocosearch_py.features.wiki import answers, arguments
from cocosearch_py.tools.answer import Listed
from cocosearch_py.tools.declaration import Alias, Command, tool

_WRITE_HELP = """Create a wiki page, or write a new version of it.

    `cocosearch-py wiki write auth @auth.md --title "Signing in" --source src/auth.py` reads the text from a file.
    """
_TOOL: dict[str, Any] = {"toolset": "wiki", "listed": False, "about_indexes": True}

# Commands without a toolset are for people alone: they choose where files go, and which page disappears.
TOOLS = (
    tool(
        __package__,
        "wiki_generate",
        title="Begin a wiki",
        about="Start the project's wiki: returns the parts of the project and the pages to write with wiki_contribute.",
        module="suggestions",
        arguments=arguments.WikiGenerateArguments,
        answer=answers.NewWiki,
        shortens=Listed("suggested_pages", "{shown} of {available} suggested pages are shown"),
        view="show_new_wiki",
        order=1,
        writes=True,
        command=Command(name="wiki generate", help="Start a wiki of the repository, and show which pages to write."),
        **_TOOL,
    ),
    tool(
        __package__,
        "wiki_search",
        title="Search the wiki",
        about="Find pages of the project's wiki by words and meaning, with the matching passages.",
        module="search",
        arguments=arguments.WikiSearchArguments,
        answer=answers.FoundPages,
        shortens=Listed("pages", "{shown} of {available} pages fit: lower limit", said_in="hint"),
        view="show_found_pages",
        order=2,
        command=Command(name="wiki search", help="Find wiki pages by words and meaning."),
        aliases=(Alias(name="wiki_suggest_contribution", program="indxr", dialect="indxr.WIKI_SUGGEST_CONTRIBUTION"),),
        **_TOOL,
    ),
    tool(
        __package__,
        "wiki_read",
        title="Read a wiki page",
        about="Read a page of the project's wiki: text, covered files and whether they changed, links, failures.",
        arguments=arguments.WikiReadArguments,
        answer=answers.PageText,
        view="show_page",
        order=3,
        command=Command(name="wiki read", help="Show a wiki page, and whether the files that it covers have changed."),
        **_TOOL,
    ),
    tool(
        __package__,
        "wiki_status",
        title="State of the wiki",
        about="Show the state of the project's wiki: pages, commits behind, files without a page, pages that may be "
        "wrong.",
        module="status",
        arguments=arguments.WikiStatusArguments,
        answer=answers.WikiStatus,
        shortens=Listed("pages", "{shown} of {available} pages fit: wiki_search finds the others", said_in="hint"),
        view="show_status",
        order=4,
        command=Command(name="wiki status", help="List the pages of the wiki, and show which need work."),
        **_TOOL,
    ),
    tool(
        __package__,
        "wiki_contribute",
        title="Write a wiki page",
        about="Create a page of the project's wiki, or write a new version of it; older versions are kept.",
        arguments=arguments.WikiContributeArguments,
        answer=answers.WrittenPage,
        view="show_written",
        order=5,
        writes=True,
        command=Command(
            name="wiki write",
            help=_WRITE_HELP,
        ),
        **_TOOL,
    ),
    tool(
        __package__,
        "wiki_update",
        title="Pages to rewrite",
        about="Find the wiki's pages that code changes made wrong, with those changes. Rewrite each with "
        "wiki_contribute.",
        module="update",
        arguments=arguments.WikiUpdateArguments,
        answer=answers.OutdatedPages,
        shortens=Listed("pages", "{shown} of {available} pages fit: rewrite these, then call again"),
        view="show_outdated",
        order=6,
        command=Command(name="wiki update", help="Show the pages that no longer match the code, with the changes."),
        **_TOOL,
    ),
    tool(
        __package__,
        "wiki_compound",
        title="Add to the wiki",
        about="Add what you learned to the wiki: at the end of the page it belongs to, or as a new topic page.",
        module="routing",
        arguments=arguments.WikiCompoundArguments,
        answer=answers.Placement,
        view="show_placement",
        order=7,
        writes=True,
        command=Command(name="wiki compound", help="Add what you learned to the wiki page that it belongs to."),
        **_TOOL,
    ),
    tool(
        __package__,
        "wiki_record_failure",
        title="Record a failure",
        about="Record a failed fix in the project's wiki, and show similar failures.",
        module="routing",
        arguments=arguments.WikiRecordFailureArguments,
        answer=answers.RecordedFailure,
        view="show_recorded_failure",
        order=8,
        writes=True,
        command=Command(name="wiki record-failure", help="Record a failed fix, and show similar recorded failures."),
        **_TOOL,
    ),
    tool(
        __package__,
        "wiki_history",
        title="Versions of a wiki page",
        arguments=arguments.WikiHistoryArguments,
        answer=list[answers.VersionItem],
        about_indexes=True,
        command=Command(name="wiki history", help="List the versions of a page with author and date, latest first."),
    ),
    tool(
        __package__,
        "wiki_diff",
        title="Changes of a wiki page",
        arguments=arguments.WikiDiffArguments,
        answer=answers.VersionDiff,
        view="show_diff",
        about_indexes=True,
        command=Command(name="wiki diff", help="Show what changed between two versions of a page."),
    ),
    tool(
        __package__,
        "wiki_restore",
        title="Restore a wiki page",
        arguments=arguments.WikiRestoreArguments,
        answer=answers.WrittenPage,
        view="show_written",
        writes=True,
        about_indexes=True,
        command=Command(name="wiki restore", help="Restore an earlier version of a page, as a new version."),
    ),
    tool(
        __package__,
        "wiki_rename",
        title="Rename a wiki page",
        module="rename",
        arguments=arguments.WikiRenameArguments,
        answer=answers.MovedPage,
        view="show_moved",
        writes=True,
        about_indexes=True,
        command=Command(
            name="wiki rename",
            help="""Change the ID of a page; the old ID leads to it from now on.

            Its versions and notes move with it. Links in other pages are updated, which creates new versions of those
            pages.
            """,
        ),
    ),
    tool(
        __package__,
        "wiki_remove",
        title="Remove a wiki page",
        module="rename",
        arguments=arguments.WikiRemoveArguments,
        answer=answers.MovedPage,
        view="show_moved",
        writes=True,
        about_indexes=True,
        command=Command(
            name="wiki remove",
            help="""Remove a page from the wiki.

            Its versions and notes are kept: `cocosearch-py wiki restore PAGE VERSION` brings it back.
            """,
        ),
    ),
    tool(
        __package__,
        "wiki_export",
        title="Export the wiki",
        module="exchange",
        arguments=arguments.WikiExportArguments,
        answer=answers.ExportedFolder,
        view="show_exported",
        about_indexes=True,
        command=Command(
            name="wiki export",
            help="""Write the wiki to a folder of Markdown files, one per page: for git, MkDocs and people.

            The same wiki gives the same bytes. Other files in the folder stay unchanged.
            """,
        ),
    ),
    tool(
        __package__,
        "wiki_import",
        title="Import a wiki",
        module="exchange",
        arguments=arguments.WikiImportArguments,
        answer=answers.ImportedFolder,
        view="show_imported",
        about_indexes=True,
        writes=True,
        command=Command(
            name="wiki import",
            help="""Import pages from a folder written by `wiki export`, or from other Markdown.

            Each file is compared with the version that it was exported from. A change in the file alone becomes a new
            version, and a change in the wiki alone stays. If both changed, the import is refused. Either all files are
            imported, or none.
            """,
        ),
    ),
)
