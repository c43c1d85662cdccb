"""Projects and imports for the tests of what imports lead to."""

from cocosearch_py.languages.imports import EXTERNAL, Project, Resolution, resolver_of
from cocosearch_py.model.references import Import


def project(*paths: str, **manifests: str) -> Project:
    """A project with these files; a manifest's "/" and "." are written as "__" and "_"."""
    texts = {name.replace("__", "/").replace("_", "."): text for name, text in manifests.items()}
    return Project(frozenset(paths) | frozenset(texts), texts.get)


def resolve(language_id: str, project: Project, path: str, module: str, name: str | None = None) -> Resolution:
    resolver = resolver_of(language_id)
    assert resolver is not None
    return resolver(project, path, Import(module, name, None, 1))


def check(language_id: str, project: Project, path: str, written: str, expected: str | None) -> None:
    """`written` is a module, with the imported name behind a blank; an expected None is a library, "" nothing."""
    module, _, name = written.partition(" ")
    found = resolve(language_id, project, path, module, name or None)
    if expected is None:
        assert found == EXTERNAL
    else:
        assert (" ".join(found.targets), found.external) == (expected, False)
