"""Writes docs/configuration.md from the settings' own rules: `python tools/docs/configuration.py [--check]`.

With --check nothing is written; the exit code is 1 when the file is not what would be written.
"""

import json
import sys
from collections.abc import Mapping
from itertools import groupby
from pathlib import Path

from cocosearch_py.config.environment import IGNORED_PREFIX, OLLAMA_URL, OTHER_NAMES, variable_name
from cocosearch_py.config.settings import IGNORED_SECTIONS, TOLERATED_SECTIONS, Settings, setting_rules, setting_values

PAGE = Path(__file__).parents[2] / "docs" / "configuration.md"

TITLES = {
    "": "Top level",
    "indexing": "What is indexed",
    "search": "Search",
    "embedding": "Embedding model",
    "database": "Database",
    "logging": "Log",
}

HEAD = """# Configuration

<!-- Written by tools/docs/configuration.py from the settings' own rules; change those, not this file. -->

Nothing needs to be configured. What can be, comes from four places; the first that has a value wins, key by key:

1. a flag of the command, such as `--database-url`;
2. an environment variable, such as `COCOSEARCH_INDEXING_CHUNK_SIZE`;
3. a file: `cocosearch-py.yaml`, then `cocosearch.yaml`, each looked for in the folder where the command starts, then
   in the root of its git repository;
4. the default.

`cocosearch-py config show` prints every value with the place it comes from, `config path` the files that are read,
and `config check` whether everything works. Secrets are shown as `***`.

## A file

```yaml
{example}```

- Types are strict: `"10"` is not a number. An unknown key is an error that names the nearest known one.
- `${{NAME}}` in a text stands for an environment variable; `${{NAME:-other}}` is `other` when it is not set.
- A `cocosearch.yaml` may be shared with CocoSearch, which refuses keys that it does not know. Put keys that only
  this program knows into `cocosearch-py.yaml`, which is read first; both files count.
- {ignored};
  the sections {tolerated} are not looked at.

## Environment variables

Every setting has one, named in the tables. Lists are separated by commas or are JSON, mappings are JSON. An empty
variable counts as not set. Besides:

| variable | stands for |
|---|---|
{variables}
"""

EXAMPLE = """indexName: shop
indexing:
  excludePatterns: ["*.generated.ts", "third_party/"]
  languageOverrides: {".inc": php}
search:
  resultLimit: 20
database:
  url: ${SHOP_DATABASE_URL}
"""

NOT_SETTINGS = {
    "COCOSEARCH_PROJECT_PATH": "the folder a command works on, instead of the current one",
    "COCOSEARCH_DATA_DIR": "where the embedded database and the log are kept, instead of the user's data folder",
}


def page() -> str:
    """The whole text of the page."""
    other = {name: f"`{key}`" for name, key in OTHER_NAMES.items()}
    other[OLLAMA_URL] = "`embedding.baseUrl`, while `embedding.provider` is `ollama`"
    rows = [f"| `{name}` | {what} |" for name, what in sorted({**NOT_SETTINGS, **other}.items())]
    ignored = " and ".join(f"`{name}`" for name in IGNORED_SECTIONS)
    head = HEAD.format(
        example=EXAMPLE,
        ignored=f"CocoSearch's section {ignored}, and variables from `{IGNORED_PREFIX}` on, only give a warning",
        tolerated=", ".join(f"`{name}`" for name in TOLERATED_SECTIONS),
        variables="\n".join(rows),
    )
    sections = groupby(setting_rules(), key=lambda key: key.rpartition(".")[0])
    return head + "".join(section(name, list(keys)) for name, keys in sections)


def section(name: str, keys: list[str]) -> str:
    """The heading and the table of one section; "" is the top level."""
    rules, defaults = setting_rules(), setting_values(Settings())
    lines = [f"\n## {TITLES[name]}\n", "| key | default | accepts | meaning |", "|---|---|---|---|"]
    for key in keys:
        rule = rules[key]
        lines.append(
            f"| `{key}`<br>`{variable_name(key)}` | `{plain(defaults[key])}` | {rule.expected} "
            f"| {rule.about}{' Secret.' if rule.secret else ''} |"
        )
    return "\n".join(lines) + "\n"


def plain(value: object) -> str:
    """A default as one writes it in YAML."""
    if isinstance(value, tuple):
        value = list(value)
    return json.dumps(dict(value) if isinstance(value, Mapping) else value)


def main() -> int:
    wanted = page()
    if "--check" not in sys.argv[1:]:
        PAGE.write_text(wanted, encoding="utf-8")
        return 0
    if PAGE.exists() and PAGE.read_text(encoding="utf-8") == wanted:
        return 0
    print(f"{PAGE.name} is out of date: run `python tools/docs/configuration.py`", file=sys.stderr)
    return 1


if __name__ == "__main__":
    raise SystemExit(main())
