"""Options of one run, from the settings and the parameters of index_codebase."""

from collections.abc import Mapping
from dataclasses import replace
from difflib import get_close_matches
from glob import escape
from pathlib import Path

from cocosearch_py.app import App
from cocosearch_py.discovery.options import DiscoveryOptions
from cocosearch_py.discovery.reading import FolderReader
from cocosearch_py.discovery.walk import discover
from cocosearch_py.errors import ConfigurationError, NotFoundError, ValidationError
from cocosearch_py.features.indexing.overrides import Overridden, read_features, read_overrides, read_profile
from cocosearch_py.features.indexing.tools import IndexCodebaseArguments
from cocosearch_py.indexing.options import IndexingOptions
from cocosearch_py.model.files import DiscoveredFile
from cocosearch_py.tools.call import Call

MODES = ("incremental", "full", "estimate")
_MOST_NAMED = 5
_MAX_LIST_BYTES = 2**20


def mode_of(asked: IndexCodebaseArguments) -> str:
    """Return the kind of run that is asked for; raises ValidationError."""
    if asked.mode is not None and asked.mode not in MODES:
        raise ValidationError(f"unknown mode '{asked.mode[:60]}'", hint=f"known: {', '.join(MODES)}")
    if asked.dry_run or asked.mode == "estimate":
        return "estimate"
    return "full" if asked.fresh or asked.mode == "full" else "incremental"


def _check_together(asked: IndexCodebaseArguments) -> None:
    if asked.only_failed and mode_of(asked) != "incremental":
        raise ValidationError(
            f"only_failed cannot be combined with the mode {mode_of(asked)}", hint="give only one of them"
        )


def options_of(app: App, folder: Path, asked: IndexCodebaseArguments) -> IndexingOptions:
    """Return the options of a run of this folder.

    Parameters count before overrides, and these before the profile and the settings.

    Raises:
        ConfigurationError, ValidationError: a value is wrong.
    """
    _check_together(asked)
    overridden = read_overrides(asked.overrides or {})
    named = {
        "indexing.strategy": asked.strategy,
        "indexing.languages": asked.languages,
        "embedding.timeout": asked.embed_timeout,
        "indexing.maxFilesToEmbed": asked.max_files_to_embed,
        **read_features(asked.features),
    }
    changes = {
        **read_profile(asked.profile),
        **overridden.settings,
        **{key: value for key, value in named.items() if value is not None},
    }
    options = app.indexing_options(fresh=mode_of(asked) == "full", confirmed=asked.confirmed, changes=changes)
    if options.content.vector:
        _check_length(app, overridden)
    discovery = _narrowed(options.discovery, folder, overridden)
    if asked.include:
        discovery = replace(discovery, include=tuple(asked.include))
    if asked.exclude:
        discovery = replace(discovery, exclude=tuple(dict.fromkeys((*discovery.exclude, *asked.exclude))))
    return replace(options, discovery=discovery, only_failed=asked.only_failed, remarks=overridden.warnings)


def _check_length(app: App, overridden: Overridden) -> None:
    wanted = overridden.embedding_length
    if wanted is not None and wanted != app.embedder.dimension:
        raise ConfigurationError(
            f"overrides.embedding_length is {wanted}, but the vectors of {app.embedder.name} have "
            f"{app.embedder.dimension} values",
            hint="leave it out, or set embedding.outputDimension or another embedding.model in cocosearch.yaml",
            details={"field": "embedding_length", "suggested_values": [app.embedder.dimension]},
        )


def _narrowed(discovery: DiscoveryOptions, folder: Path, overridden: Overridden) -> DiscoveryOptions:
    """Keep files with the endings that overrides name, without those that their list of patterns excludes."""
    if overridden.include:
        discovery = replace(discovery, include=overridden.include)
    if overridden.exclude_file is None:
        return discovery
    patterns = _lines(folder, overridden.exclude_file)
    return replace(discovery, exclude=tuple(dict.fromkeys((*discovery.exclude, *patterns))))


def _lines(folder: Path, name: str) -> list[str]:
    """Read the patterns of a file of the folder, without comments. Raises ConfigurationError."""
    root = folder.resolve()
    try:
        path = (root / name).resolve().relative_to(root).as_posix()
        with FolderReader(str(root), _MAX_LIST_BYTES) as reader:
            data = reader.read(path)
    except (OSError, ValueError):
        data = None
    if not isinstance(data, bytes):
        raise ConfigurationError(
            f"overrides.exclude_files_path: '{name[:200]}' is not a readable file in the folder",
            hint="name a text file inside the folder, one pattern per line",
        )
    lines = (line.strip() for line in data.decode("utf-8", "replace").splitlines())
    return [line for line in lines if line and not line.startswith("#")]


def narrowed(call: Call, folder: Path, discovery: DiscoveryOptions, asked: IndexCodebaseArguments) -> DiscoveryOptions:
    """Keep the files of the members that a call names, without those that a member's own configuration leaves out.

    Raises:
        ValidationError: the folder is to be no workspace.
        NotFoundError: there is no such member, with the nearest names.
    """
    if not asked.workspace:
        raise ValidationError("members cannot be combined with workspace=false", hint="give only one of them")
    root = folder.resolve()
    walk = replace(discovery, include=(), bounded=False)
    files = {one.path for one in discover(root, walk) if isinstance(one, DiscoveredFile)}
    found = call.app(folder).catalog.workspaces_on_disk(str(root), files)
    members = {name: one.path for space in found for one in space.members for name in (one.path or ".", one.name)}
    wanted = [name.strip().removeprefix("./").rstrip("/") for text in asked.members or () for name in text.split(",")]
    folders = [_member(name, members) for name in wanted if name]
    exclude = list(discovery.exclude)
    for path in folders:
        exclude += [_below(path, one) for one in call.app_of_entry(root / path).settings.indexing.exclude_patterns]
    if "" in folders:  # the root itself, with all that is in it
        return replace(discovery, exclude=tuple(dict.fromkeys(exclude)))
    include = [_below(path, one) for path in folders for one in discovery.include or ("**",)]
    return replace(discovery, include=tuple(dict.fromkeys(include)), exclude=tuple(dict.fromkeys(exclude)))


def _member(name: str, members: Mapping[str, str]) -> str:
    if name in members:
        return members[name]
    known = [one for one in members if not one.startswith("/")]  # labels of Bazel would be hidden as paths
    near = get_close_matches(name, known, _MOST_NAMED) or sorted(known)[:_MOST_NAMED]
    raise NotFoundError(
        f"the workspace has no member '{name[:100]}'",
        hint=f"did you mean {', '.join(near)}?" if near else "the folder is not a workspace: leave out members",
    )


def _below(folder: str, pattern: str) -> str:
    """Return a pattern of files of a folder as a pattern from the root."""
    if not folder:
        return pattern
    negated, bare = ("!", pattern[1:]) if pattern.startswith("!") else ("", pattern)
    anchored = "/" in bare.rstrip("/") and not bare.startswith("**/")
    return f"{negated}/{escape(folder)}/{bare.lstrip('/') if anchored or bare == '**' else f'**/{bare}'}"
