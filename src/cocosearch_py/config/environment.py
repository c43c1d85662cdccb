"""Environment variables: which name stands for which setting."""

from collections.abc import Mapping
from dataclasses import dataclass

from cocosearch_py.config.keys import setting_rules, snake_case
from cocosearch_py.config.names import nearest
from cocosearch_py.config.rules import WrongValueError, parse
from cocosearch_py.errors import ConfigurationError

PREFIX = "COCOSEARCH_"
# Names that CocoSearch or fastembed made known, besides the generic rule; the generic name wins.
OTHER_NAMES = {
    "COCOSEARCH_LOG_FILE": "logging.file",
    "COCOSEARCH_LOG_LEVEL": "logging.level",
    "COCOSEARCH_OFFLINE": "embedding.offline",
    "FASTEMBED_CACHE_PATH": "embedding.cacheDir",
}
# Ollama's and Code Index's own variables: used where nothing else says anything. The first two are Ollama's alone.
LAST_NAMES = {
    "OLLAMA_BASE_URL": "embedding.baseUrl",
    "OLLAMA_MODEL": "embedding.model",
    "CODE_INDEX_EMBED_TIMEOUT": "embedding.timeout",
}
OF_OLLAMA = frozenset({"OLLAMA_BASE_URL", "OLLAMA_MODEL"})
OLLAMA_URL = "COCOSEARCH_OLLAMA_URL"  # embedding.baseUrl, while the provider is ollama
# Read elsewhere, by a later release, or by CocoSearch alone: no setting, and nothing to warn of.
NO_SETTINGS = frozenset(
    PREFIX + name
    for name in (
        "PROJECT_PATH", "DATA_DIR", "OLLAMA_URL", "MCP_PORT", "IDLE_TIMEOUT", "SERVER_URL", "PATH_PREFIX",
        "TOOLSETS", "TOOLS", "READ_ONLY", "DYNAMIC_TOOLSETS", "AUTH_TOKEN", "ROOTS",
        "NO_DASHBOARD", "DASHBOARD_PORT", "PROJECTS_DIR", "EDITOR",
    )
)  # fmt: skip
TOLERATED_PREFIXES = tuple(f"{PREFIX}{section}_" for section in ("WATCH", "AUDIT", "WIKI"))
IGNORED_PREFIX = f"{PREFIX}CONTROLLER_"


@dataclass(frozen=True, slots=True)
class FromEnvironment:
    """Settings found in the environment: dotted key to checked value, and to the variable that gave it."""

    values: Mapping[str, object]
    variables: Mapping[str, str]
    warnings: tuple[str, ...]


def variable_name(key: str) -> str:
    """Return the generic variable of a dotted key: "indexing.chunkSize" is COCOSEARCH_INDEXING_CHUNK_SIZE."""
    return PREFIX + snake_case(key).replace(".", "_").upper()


def read_environment(environ: Mapping[str, str]) -> FromEnvironment:
    """Find the settings in an environment; an empty variable counts as not set.

    Raises:
        ConfigurationError: values that their settings refuse, all of them in one message.
    """
    rules = setting_rules()
    generic = {variable_name(key): key for key in rules}
    values: dict[str, object] = {}
    variables: dict[str, str] = {}
    problems = []
    for variable, key in [*generic.items(), *OTHER_NAMES.items()]:
        text = environ.get(variable, "")
        if not text.strip() or key in values:
            continue
        try:
            values[key] = parse(rules[key], text)
        except WrongValueError as error:
            problems.append(f"{variable} ({key}): {error}")
        variables[key] = variable
    if problems:
        raise ConfigurationError("\n".join(problems), hint="correct or unset the environment variable")
    return FromEnvironment(values, variables, tuple(_warnings(environ, generic)))


def _warnings(environ: Mapping[str, str], generic: Mapping[str, str]) -> list[str]:
    known = {*generic, *OTHER_NAMES, *NO_SETTINGS}
    warnings = []
    for variable in sorted(environ):
        if not variable.startswith(PREFIX) or variable in known or variable.startswith(TOLERATED_PREFIXES):
            continue
        if variable.startswith(IGNORED_PREFIX):
            warnings.append(f"{variable} is ignored: there is no query controller")
            continue
        near = nearest(variable.removeprefix(PREFIX), [name.removeprefix(PREFIX) for name in sorted(known)])
        suggestion = f"; did you mean {PREFIX}{near}?" if near else ""
        warnings.append(f"unknown environment variable {variable}{suggestion}")
    return warnings
