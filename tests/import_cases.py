"""Projects and imports for the tests of what imports lead to."""

from cocosearch_py.languages import LANGUAGES, affected
from cocosearch_py.languages.detect import detect_language
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


def is_expected(language_id: str, project: Project, fewer: Project, changed: str, path: str, written: str) -> bool:
    """Whether an update looks at this import again when a file has come or gone."""
    language = detect_language(changed, b"")
    words = affected.file_words([changed])
    if language not in LANGUAGES or LANGUAGES[language].kind not in ("code", "docs") or words is None:
        return True
    manifests = " ".join(project.read(one) or "" for one in project.paths)
    if affected.change_folders(project, [changed]) or any(word in manifests for word in words):
        return True
    for one in (project, fewer):
        words |= affected.package_words(one, language_id, [changed], [])
    text = written.replace("_", "").lower()
    has_word = any(word.replace("_", "").lower() in text for word in words)
    is_near = affected.nearness(language_id)
    return has_word or "%" in text or ".." in text or (is_near is not None and is_near(changed, path))


def check(language_id: str, project: Project, path: str, written: str, expected: str | None) -> None:
    """`written` is a module, with the imported name behind a blank; an expected None is a library, "" nothing."""
    module, _, name = written.partition(" ")
    found = resolve(language_id, project, path, module, name or None)
    for other in project.paths - {path}:
        fewer = Project(project.paths - {other}, project.read)
        if resolve(language_id, fewer, path, module, name or None) != found:
            assert is_expected(language_id, project, fewer, other, path, written), other
    if expected is None:
        assert found == EXTERNAL
    else:
        assert (" ".join(found.targets), found.external) == (expected, False)
