"""Options of runs and models, as the settings have them."""

from pathlib import Path

from cocosearch_py.config.settings import EmbeddingSettings, Settings
from cocosearch_py.discovery.options import DiscoveryOptions
from cocosearch_py.embedding.options import THREADS, EmbeddingOptions
from cocosearch_py.indexing.options import ContentOptions, EmbeddingLimits, IndexingOptions
from cocosearch_py.model.files import ContentClass


def indexing_options(
    settings: Settings, *, fresh: bool, confirmed: bool, global_ignore_file: Path | None, home: Path | None
) -> IndexingOptions:
    """Options of a run.

    Args:
        fresh: whether it makes the index anew.
        confirmed: whether a folder may be large or a home folder.
        global_ignore_file: git's user-wide ignore file.
        home: the user's home folder.
    """
    chosen = settings.indexing
    return IndexingOptions(
        content=ContentOptions(
            chunk_bytes=chosen.chunk_size,
            strategy=chosen.strategy,
            chunk_overlap=chosen.chunk_overlap,
            token_size=chosen.token_chunk_size,
            token_overlap=chosen.token_overlap,
            syntax_max_bytes=chosen.tree_sitter_max_file_kb and chosen.tree_sitter_max_file_kb * 1024,
            syntax_max_chunks=chosen.tree_sitter_max_blocks,
            vector=chosen.vectors,
            max_files_to_embed=chosen.max_files_to_embed,
            symbol=chosen.symbols,
            graph=chosen.graph and chosen.symbols,
            languages=tuple(map(_language_id, chosen.languages)),
            language_overrides={
                extension: _language_id(language) for extension, language in chosen.language_overrides.items()
            },
        ),
        discovery=DiscoveryOptions(
            include=chosen.include_patterns,
            exclude=chosen.exclude_patterns,
            respect_gitignore=chosen.respect_gitignore,
            max_file_size_bytes=chosen.max_file_size_kb * 1024,
            max_depth=chosen.max_depth,
            submodules=chosen.submodules,
            global_ignore_file=global_ignore_file,
        ),
        content_classes={
            pattern: ContentClass(content_class) for pattern, content_class in chosen.content_classes.items()
        },
        fresh=fresh,
        workers=chosen.workers,
        embedding=EmbeddingLimits(settings.embedding.batch_size, settings.embedding.timeout),
        confirmed=confirmed,
        home=home,
    )


def _language_id(name: str) -> str:
    from cocosearch_py.languages.table import resolve_language  # takes a while, and few settings name a language

    return resolve_language(name)


def embedding_options(chosen: EmbeddingSettings) -> EmbeddingOptions:
    """Options of the model."""
    return EmbeddingOptions(
        provider=chosen.provider,
        model=chosen.model,
        base_url=chosen.base_url,
        api_key=chosen.api_key,
        output_dimension=chosen.output_dimension,
        batch_size=chosen.batch_size,
        threads=chosen.threads or THREADS,
        timeout_s=chosen.timeout,
        cache_dir=chosen.cache_dir,
        offline=chosen.offline,
    )
