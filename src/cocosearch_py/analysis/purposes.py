"""Purposes of settings files with well-known names, in the words of people's questions.

A `package.json` need not say npm or dependency anywhere. The names are those that tools prescribe, so they mean the
same in every repository. Settings that are code (`setup.py`, `build.gradle`) are not here.
"""

import re
from functools import lru_cache

_NAMES = {
    # containers and deployment
    r"(?:.*[._-])?(?:dockerfile|containerfile)(?:[.-].*)?": (
        "docker container image base expose entrypoint health healthcheck"
    ),
    r"(?:docker[._-])?compose(?:[._-].*)?\.ya?ml": "docker compose container service",
    r"\.dockerignore": "docker",
    r"devcontainer\.json": "dev container vscode",
    r"chart\.ya?ml": "helm chart version dependency",
    r"values(?:[._-].*)?\.ya?ml": "helm chart default value",
    r"kustomization\.ya?ml": "kustomize",
    r".*\.service": "systemd service",
    r"nginx.*\.conf": "nginx proxy server",
    r"procfile": "process command",
    r"\.env(?:\..*)?|.*\.env": "environment variable default",
    # CI and releases
    r"\.gitlab-ci\.ya?ml|\.travis\.ya?ml|azure-pipelines\.ya?ml|\.drone\.ya?ml|\.?appveyor\.ya?ml|\.cirrus\.ya?ml": (
        "ci pipeline job workflow"
    ),
    r"\.?goreleaser\.ya?ml|\.?release-please.*\.json|\.releaserc.*|release-drafter\.ya?ml": "release binary platform",
    r"\.?codecov\.ya?ml|\.coveragerc|\.nycrc.*": "code coverage",
    r"dependabot\.ya?ml|renovate(?:rc)?\.json5?|\.renovaterc.*": "dependency update",
    r"\.pre-commit-config\.ya?ml|lefthook\.ya?ml|\.lintstagedrc.*": "commit lint",
    r"codeowners": "code owner reviewer",
    r"labeler\.ya?ml": "label pull request",
    r"\.snyk": "vulnerability security",
    # linters and formatters
    r"\.golangci\.(?:ya?ml|toml|json)": "go linter lint rule",
    r"\.eslintrc(?:\.json|\.ya?ml)?|\.jshintrc|tslint\.json|biome\.jsonc?": "javascript typescript linter lint rule",
    r"\.stylelintrc(?:\.json|\.ya?ml)?": "css style linter lint rule",
    r"\.prettierrc(?:\.json|\.ya?ml|\.toml)?": "format formatter style",
    r"\.rubocop.*\.ya?ml": "ruby linter lint rule style",
    r"\.?ruff\.toml|\.flake8|\.?pylintrc": "python linter lint rule",
    r"\.?mypy\.ini|pyrightconfig\.json": "python type checker",
    r"\.?rustfmt\.toml|\.clang-format|\.editorconfig|\.scalafmt\.conf|\.swiftformat": "format formatter style",
    r"\.?clippy\.toml": "rust linter lint rule",
    r"\.?hadolint\.ya?ml": "dockerfile linter lint rule",
    r"\.?yamllint(?:\.ya?ml)?": "yaml linter lint rule",
    r"\.markdownlint.*": "markdown linter lint rule",
    r"\.?checkstyle.*\.xml|\.?phpcs\.xml.*|detekt\.ya?ml|\.swiftlint\.ya?ml": "linter lint rule style",
    # packages
    r"package\.json": "npm node javascript dependency package version script",
    r"tsconfig(?:[._-].*)?\.json": "typescript compiler option",
    r"pyproject\.toml|setup\.cfg": "python dependency package version requirement",
    r"requirements.*\.(?:txt|in)|pipfile|environment\.ya?ml": "python dependency package version requirement",
    r"tox\.ini|pytest\.ini": "python test environment option",
    r"go\.mod": "go module dependency version requirement",
    r"cargo\.toml": "rust crate dependency package version",
    r"composer\.json": "php dependency package version",
    r"pom\.xml|libs\.versions\.toml": "java dependency package version build plugin",
    r".*\.csproj|directory\.(?:packages|build)\.props|global\.json": "dotnet dependency package version framework",
    r".*\.cabal|stack\.yaml": "haskell dependency package version",
    r"\.nvmrc|\.node-version": "node version",
    r"\.python-version": "python version",
    r"\.ruby-version": "ruby version",
    r"\.tool-versions|mise\.toml": "tool version",
    r"rust-toolchain(?:\.toml)?": "rust toolchain version",
    # documentation
    r"mkdocs\.ya?ml|_config\.yml|book\.toml": "documentation site theme plugin",
    r"\.?readthedocs\.ya?ml": "documentation build python version",
}
# Their settings name every part of a repository, whatever the question is about.
_KEEPING_BOOKS = re.compile(
    r"dependabot\.ya?ml|renovate(?:rc)?\.json5?|\.renovaterc.*|\.?codecov\.ya?ml|codeowners|labell?er\.ya?ml|labels\.ya?ml"
    r"|\.?mergify\.ya?ml|release-drafter\.ya?ml|\.?release-please.*\.json|mkdocs\.ya?ml|_config\.yml"
    r"|book\.toml",
    re.IGNORECASE,
)
_WORDS = tuple(tuple(words.split()) for words in _NAMES.values())
_KNOWN = re.compile("|".join(f"({pattern})" for pattern in _NAMES), re.IGNORECASE)  # no pattern has groups of its own
_WORKFLOW = re.compile(r"(?:^|/)\.(?:github/workflows|gitea/workflows|circleci)/")
_WORKFLOW_WORDS = ("ci", "workflow", "job", "pipeline", "schedule")


def purpose_words(path: str) -> tuple[str, ...]:
    """Words for what a file of this path is for; none if it is not a settings file that everybody knows."""
    if words := _words_of(path.rpartition("/")[2]):
        return words
    is_likely = "workflows/" in path or "circleci/" in path  # told in a tenth of the time of the pattern
    return _WORKFLOW_WORDS if is_likely and _WORKFLOW.search(path) else ()


@lru_cache(maxsize=5_000)
def _words_of(name: str) -> tuple[str, ...]:
    known = _KNOWN.fullmatch(name)
    return _WORDS[(known.lastindex or 1) - 1] if known else ()


def keeps_books(path: str) -> bool:
    """Whether the settings are those of a tool that knows a repository part by part: owners, labels, updates, pages."""
    return _KEEPING_BOOKS.fullmatch(path.rpartition("/")[2]) is not None
