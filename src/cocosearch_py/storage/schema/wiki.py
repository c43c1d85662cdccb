"""The tables of wikis as Alembic sees them: pages in every version, their links, what failed and what contradicts."""

from sqlalchemy import (
    BigInteger,
    Column,
    DateTime,
    ForeignKey,
    ForeignKeyConstraint,
    Identity,
    Index,
    Integer,
    MetaData,
    Table,
    Text,
    text,
)
from sqlalchemy.dialects.postgresql import JSONB


def define(metadata: MetaData) -> None:
    """Add the tables `wikis`, `wiki_pages` and those that belong to a page."""
    pages = _define_pages(_define_wikis(metadata))
    _define_versions(pages)
    _define_links(pages)
    _define_failures(pages)
    _define_contradictions(pages)


def _define_wikis(metadata: MetaData) -> Table:
    wikis = Table(
        "wikis",
        metadata,
        Column("wiki_id", BigInteger, Identity(always=True), primary_key=True, comment="number of the wiki"),
        _text("repository", "canonical absolute path of the repository that all its worktrees share, or of the folder"),
        Column("git_ref", Text, comment="commit from which on changes are to be looked at; null without git"),
        Column(
            "generation",
            BigInteger,
            nullable=False,
            server_default=text("0"),
            comment="grows with everything that is written; caches key on it",
        ),
        _time("created_at", "when it was made"),
        _time("updated_at", "when something was last written"),
        _later("archived_at", "when another took its place; null: it is the one of the repository"),
        comment="One row per wiki; a repository has one that is not archived.",
    )
    Index("wikis_by_repository", wikis.c.repository, unique=True, postgresql_where=text("archived_at IS NULL"))
    return wikis


def _define_pages(wikis: Table) -> Table:
    return Table(
        "wiki_pages",
        wikis.metadata,
        Column(
            "wiki_id",
            BigInteger,
            ForeignKey(wikis.c.wiki_id, ondelete="CASCADE"),
            primary_key=True,
            comment="see wikis",
        ),
        Column("page_id", Text, primary_key=True, comment="what links name it by"),
        Column("version", Integer, nullable=False, comment="the latest in wiki_versions"),
        _text("page_type", "architecture, module, entity or topic"),
        _list("headings", "headings of the latest version, in order"),
        _time("created_at", "when it was first written"),
        _later("removed_at", "when it was removed or renamed; null: it is there"),
        Column("moved_to", Text, comment="page that the id of a removed one leads to; null: none"),
        comment="One row per page of a wiki; the text is in wiki_versions.",
    )


def _define_versions(pages: Table) -> None:
    Table(
        "wiki_versions",
        pages.metadata,
        *_key(pages, "see wiki_pages", "version", "counts from 1"),
        _text("title", "what people call the page"),
        _text("content", "Markdown"),
        _list(
            "sources",
            "files and symbols that it is about: path, symbol, hash, file_hash, size_bytes as they were then",
        ),
        _text("author", "who wrote it"),
        _text("reason", "written, compounded, restored, imported or renamed"),
        _time("written_at", "when"),
        comment="Every version of every page.",
    )


def _define_links(pages: Table) -> None:
    links = Table(
        "wiki_links",
        pages.metadata,
        *_key(pages, "the page that has the link", "link_no", "position in the page, from 1"),
        _text("target", "page that it names; there may be none"),
        Column("heading", Text, comment="heading in that page; null: all of it"),
        Column("line", Integer, nullable=False, comment="line of the page, from 1"),
        Column("label", Text, comment="text that is shown for the link; null: none of its own"),
        comment="Links of the latest version of each page to others.",
    )
    Index("wiki_links_by_target", links.c.wiki_id, links.c.target)


def _define_failures(pages: Table) -> None:
    Table(
        "wiki_failures",
        pages.metadata,
        *_key(pages, "page that they are kept with", "failure_no", "counts from 1 in each page"),
        _text("symptom", "what was observed"),
        _text("attempted_fix", "what was tried"),
        _text("diagnosis", "why that did not help"),
        Column("actual_fix", Text, comment="what helped, if that is known"),
        _list("source_files", "files that it is about"),
        *_recorded(),
        comment="Attempts that failed, so that nobody repeats them.",
    )


def _define_contradictions(pages: Table) -> None:
    Table(
        "wiki_contradictions",
        pages.metadata,
        *_key(pages, "page that is contradicted", "contradiction_no", "counts from 1 in each page"),
        _text("description", "what does not agree"),
        Column("source", Text, comment="where that is said; null: not told"),
        *_recorded(),
        comment="What contradicts a page.",
    )


def _key(
    pages: Table, page: str, number: str, comment: str
) -> tuple[Column[object], Column[object], Column[object], ForeignKeyConstraint]:
    """The key of what belongs to a page, and what ties it to the page."""
    return (
        Column("wiki_id", BigInteger, primary_key=True, autoincrement=False, comment="see wikis"),
        Column("page_id", Text, primary_key=True, comment=page),
        Column(number, Integer, primary_key=True, autoincrement=False, comment=comment),
        ForeignKeyConstraint(["wiki_id", "page_id"], [pages.c.wiki_id, pages.c.page_id], ondelete="CASCADE"),
    )


def _recorded() -> tuple[Column[object], Column[object], Column[object]]:
    return (
        _text("author", "who recorded it"),
        _time("recorded_at", "when"),
        _later("resolved_at", "when it was said to be dealt with; null: it is open"),
    )


def _text(name: str, comment: str) -> Column[object]:
    return Column(name, Text, nullable=False, comment=comment)


def _list(name: str, comment: str) -> Column[object]:
    return Column(name, JSONB, nullable=False, server_default=text("'[]'"), comment=comment)


def _time(name: str, comment: str) -> Column[object]:
    return Column(name, DateTime(timezone=True), nullable=False, server_default=text("now()"), comment=comment)


def _later(name: str, comment: str) -> Column[object]:
    return Column(name, DateTime(timezone=True), comment=comment)
