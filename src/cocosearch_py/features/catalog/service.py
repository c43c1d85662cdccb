"""Answers about indexes, and about what can be indexed."""

from cocosearch_py.catalog.selection import meant
from cocosearch_py.errors import IndexNotFoundError
from cocosearch_py.features.catalog.tools import (
    Language,
    LanguagesArguments,
    MembersArguments,
    RestorableIndex,
    RestoreArguments,
    Restored,
    WorkspaceMember,
    WorkspaceMembers,
)
from cocosearch_py.languages import LANGUAGES, symbols_query
from cocosearch_py.parsing.parsers import has_grammar
from cocosearch_py.storage.queries.cleared import Cleared
from cocosearch_py.tools.answers import timestamp
from cocosearch_py.tools.call import Call
from cocosearch_py.tools.index import Index


def restore_index(call: Call, asked: RestoreArguments) -> Restored:
    """Restore a cleared index, or list those that can be restored.

    Raises:
        IndexNotFoundError: no such index can be restored.
    """
    app = call.app()
    restorable = call.restorable(app)
    if asked.index_name is None:
        return Restored(success=True, restorable=tuple(_restorable(index) for index in restorable))
    cleared = meant(restorable, asked.index_name)
    if cleared is None:
        names = ", ".join(dict.fromkeys(index.name for index in restorable))
        raise IndexNotFoundError(
            f"no index '{asked.index_name[:100]}' can be restored",
            hint=f"restorable: {names}" if names else "index the folder again",
        )
    record = app.catalog.restore(cleared)
    call.changed()
    return Restored(
        success=True,
        index_name=record.name,
        index_id=record.ulid,
        path=record.root_path,
        files=record.file_count,
        chunks=record.chunk_count,
        message=f"Index '{record.name}' restored",
    )


def _restorable(cleared: Cleared) -> RestorableIndex:
    return RestorableIndex(
        name=cleared.name,
        index_id=cleared.ulid,
        root_path=cleared.root_path,
        chunks=cleared.chunk_count,
        cleared_at=timestamp(cleared.cleared_at),
        restorable_until=timestamp(cleared.expires_at),
    )


def list_workspace_members(call: Call, asked: MembersArguments) -> WorkspaceMembers:
    """Return the members of the workspace in an index's folder, by path."""
    del asked
    index = Index.of(call)
    workspace = index.app.catalog.members(index.record)
    warnings = index.warnings()
    if workspace.others:
        warnings.append(f"the folder is also the root of other workspaces: {', '.join(workspace.others)}")
    members = (
        WorkspaceMember(
            name=member.name, path=member.path or ".", files=member.files, languages=tuple(member.languages)
        )
        for member in workspace.members
    )
    return WorkspaceMembers(
        root=index.root, workspace_type=workspace.kind, members=tuple(members), warnings=tuple(warnings)
    )


def list_languages(call: Call, asked: LanguagesArguments) -> list[Language]:
    """Return all languages, by id."""
    del call, asked
    return [
        Language(
            id=language.id,
            name=language.name,
            aliases=tuple(language.aliases),
            extensions=tuple(language.extensions),
            filenames=tuple(language.filenames),
            kind=language.kind,
            grammar=has_grammar(language.id),
            definitions=has_grammar(language.id) and symbols_query(language.id) is not None,
        )
        for language in sorted(LANGUAGES.values(), key=lambda language: language.id)
    ]
