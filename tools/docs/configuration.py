"""Writes docs/configuration.md from the settings' own rules: `python tools/docs/configuration.py [--check]`.

With --check nothing is written; the exit code is 1 when the file is not what would be written.
"""

import json
import sys
from collections.abc import Mapping
from itertools import groupby
from pathlib import Path

from cocosearch_py.config.environment import (
    IGNORED_PREFIX,
    LAST_NAMES,
    OF_OLLAMA,
    OLLAMA_URL,
    OTHER_NAMES,
    variable_name,
)
from cocosearch_py.config.keys import setting_rules, setting_values
from cocosearch_py.config.settings import IGNORED_SECTIONS, TOLERATED_SECTIONS, Settings

PAGE = Path(__file__).parents[2] / "docs" / "configuration.md"

TITLES = {
    "": "Top level",
    "indexing": "What is indexed",
    "search": "Search",
    "embedding": "Embedding model",
    "database": "Database",
    "jobs": "Jobs",
    "audit": "Audit",
    "edit": "Edits",
    "logging": "Log",
    "cli": "Output of commands",
    "server": "Server",
    "trust": "Trust",
}

HEAD = """# Configuration

<!-- Written by tools/docs/configuration.py from the settings' own rules; change those, not this file. -->

Nothing needs to be configured. Settings come from five places. For each key, the first place with a value wins:

1. a flag of the command, such as `--database-url`;
2. an environment variable, such as `COCOSEARCH_INDEXING_CHUNK_SIZE`;
3. the project's files: `cocosearch-py.yaml`, then `cocosearch.yaml`. Each is searched for in the current folder,
   then at the root of its git repository;
4. your own file: `cocosearch-py/config.yaml` in `$XDG_CONFIG_HOME`, or else in `~/.config` (Linux),
   `~/Library/Application Support` (macOS) or `%APPDATA%` (Windows);
5. the default.

`--config FILE` replaces the project's files and your own file.

`cocosearch-py config show` prints every value and its origin, and which values were ignored and why.
`config path` prints the files in use. `config check` checks that everything works. Secrets are shown as `***`.

## A file

```yaml
{example}```

- Types are strict: `"10"` is not a number. An unknown key or a value out of range is an error that names file and line.
- You can share a `cocosearch.yaml` with CocoSearch, which refuses unknown keys. Put keys that only this program knows
  into `cocosearch-py.yaml`. It has priority; both files are read.
- {ignored}.
  The sections {tolerated} are not read.
- `indexing.strategy`: `treesitter` splits files at definitions, or at lines if a file cannot be parsed. `lines` splits
  at lines. `tokens` also splits at lines, into chunks of up to `indexing.tokenChunkSize` tokens. The tokenizer is the
  embedding model's; for a model behind an endpoint, it is the bundled model's.
- Overlap is preceding text that a chunk's vector also covers: `indexing.chunkOverlap`, or with `tokens`
  `indexing.tokenChunkOverlap`. Chunks themselves share no text; all text is stored, listed and counted once.
- `linkedIndexes`: a search in this project that names no index also searches these indexes. Names without an index are
  skipped.

In your own file, in a file named with `--config`, and in the files of a folder that you trust, `${{NAME}}` in a value
stands for an environment variable. `${{NAME:-other}}` stands for `other` if the variable is empty or not set:

```yaml
{trusted_example}```

## What a project's file may not set

A configuration file often arrives with a clone, so somebody else may have written it. By itself, such a file can
change only how its project is indexed and searched:

- It cannot set the keys marked *user only* below. Among other things, they decide where text, keys and passwords are
  sent, and which files are loaded as a model.
- Environment variables in its values are not expanded. A value that contains `${{NAME}}` or `${{NAME:-other}}` is
  ignored.

Ignored values do not stop a command. A warning lists them, and `config show` shows the file and line of each, the
reason, and how to allow it. Values that would change nothing cause no warning.

If you trust a folder, its files may set everything except `trust.folders`:

```console
$ cocosearch-py config trust ~/work/shop        # this folder only
$ cocosearch-py config trust '~/work/*'         # every folder below ~/work, at any depth
$ cocosearch-py config untrust ~/work/shop
```

Without a folder, `config trust` trusts the folders of the configuration files in use. The list is stored as
`trust.folders` in your own file; `config show` prints it. It works like git's `safe.directory`:

- Links are resolved before paths are compared.
- An entry covers the files in that folder, but not in folders below it. It covers them now and later, regardless of the
  owner. Trust a folder only if you trust everybody who can change it, for instance by a commit that you pull.
- An entry that ends in `/*` covers all folders below; `*` alone covers every folder. Such entries apply only to files
  that belong to you or root and are not world-writable.
- Your own file is ignored, with a warning, if it belongs to another user or is world-writable.
- The variable `COCOSEARCH_TRUST_FOLDERS`, if set, replaces the list.

Your own repositories are not trusted by default either, because they contain what others have committed.

## Embedding endpoints

The providers `ollama`, `openai` and `openrouter` send the text of your files over HTTP to `embedding.baseUrl`.

- Transient failures are retried: status 408, 425, 429, 500, 502, 503, 504 or 529, a timeout, or a broken connection.
  There are up to 6 retries for a batch of texts and 2 for a query, with growing pauses, for at most two minutes. A
  `Retry-After` of up to 30 seconds is respected. A longer one ends the command with an error that says so.
- A batch that is refused with status 400, 413 or 422 is sent again in halves. If a single text is refused, the error
  shows its beginning.
- Redirects are not followed, so the key and the text go only to the address in your settings. The error names the new
  address.
- The proxy in `HTTPS_PROXY` is used for `https` addresses. Plain `http` requests never go through a proxy, because it
  could read the key.
- While the endpoint does not answer, searches use words and names alone and say so. Only a search by meaning alone
  (`use_hybrid_search: false`) and a run that has to embed fail. The endpoint is tried again after 30 s, or at the next
  query if it refused only the text of the last one (status 400, 413 or 422).
- A user name and password in `embedding.baseUrl` are sent as basic authentication if there is no `embedding.apiKey`.

## Environment variables

Every setting has a variable; the tables below list it. Write lists with commas or as JSON, and mappings as JSON. An
empty variable counts as not set. These variables exist too:

| variable | meaning |
|---|---|
{variables}

Other programs' variables `WORKSPACE_PATH`, `QDRANT_URL`, `QDRANT_API_KEY` and `MIMIR_*` have no effect. Name the folder
as an argument, or set `COCOSEARCH_PROJECT_PATH`.

At its start, a server reads the section `server` from the environment, your own file or the `--config` file, but never
from a project's files. Its flags and shorter variables take priority (`MCP_TRANSPORT`, `COCOSEARCH_MCP_PORT`,
`COCOSEARCH_TOOLSETS`, `COCOSEARCH_READ_ONLY`, `COCOSEARCH_ROOTS`, `COCOSEARCH_AUTH_TOKEN`, `COCOSEARCH_IDLE_TIMEOUT`).
"""

EXAMPLE = """indexName: shop
indexing:
  excludePatterns: ["*.generated.ts", "third_party/"]
  languageOverrides: {".inc": php}
  contentClasses: {"lib/jquery": vendored, "schema.go": code}
search:
  resultLimit: 20
"""

TRUSTED_EXAMPLE = """embedding:
  provider: openai
  model: text-embedding-3-small
  apiKey: ${OPENAI_API_KEY}
database:
  url: postgresql://me@db.example.org/${SHOP_DATABASE:-shop}
"""

NOT_SETTINGS = {
    "COCOSEARCH_SERVER_URL": "remote server that runs the commands; see how-to/server-elsewhere.md",
    "COCOSEARCH_PATH_PREFIX": "with it: a local folder and its path on the server, such as `/home/me/src:/projects`",
    "COCOSEARCH_PROJECT_PATH": "project folder, instead of the current one",
    "COCOSEARCH_DATA_DIR": "folder of the embedded database and the log, instead of the user's data folder",
}


def page() -> str:
    """The whole text of the page."""
    other = {name: f"`{key}`" for name, key in OTHER_NAMES.items()}
    for name, key in LAST_NAMES.items():
        more = ", and `embedding.provider` is `ollama`" if name in OF_OLLAMA else ""
        other[name] = f"`{key}`, if nothing else sets it{more}"
    other[OLLAMA_URL] = "`embedding.baseUrl`, while `embedding.provider` is `ollama`"
    rows = [f"| `{name}` | {what} |" for name, what in sorted({**NOT_SETTINGS, **other}.items())]
    ignored = " and ".join(f"`{name}`" for name in IGNORED_SECTIONS)
    head = HEAD.format(
        example=EXAMPLE,
        trusted_example=TRUSTED_EXAMPLE,
        ignored=f"CocoSearch's section {ignored} and variables that begin with `{IGNORED_PREFIX}` only cause a warning",
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
            f"| {rule.about}{' Secret.' if rule.secret else ''}{' *User only.*' if rule.user_only else ''} |"
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
