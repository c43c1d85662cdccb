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

Nothing needs to be configured. Settings come from five places; for each key, the first place that has a value wins:

1. a flag of the command, such as `--database-url`;
2. an environment variable, such as `COCOSEARCH_INDEXING_CHUNK_SIZE`;
3. the project's files: `cocosearch-py.yaml`, then `cocosearch.yaml`. Each is looked for in the folder where the command
   starts, then at the root of its git repository;
4. your own file: `cocosearch-py/config.yaml` in `$XDG_CONFIG_HOME`, or else in `~/.config` (Linux),
   `~/Library/Application Support` (macOS) or `%APPDATA%` (Windows);
5. the default.

With `--config FILE`, that file takes the place of the project's files and of your own.

`cocosearch-py config show` prints every value, where it comes from, and which values were ignored and why.
`config path` prints the files that are read, and `config check` whether everything works. Secrets are shown as `***`.

## A file

```yaml
{example}```

- Types are strict: `"10"` is not a number. An unknown key or a value out of range is an error that names file and line.
- A `cocosearch.yaml` can be shared with CocoSearch, which refuses keys that it does not know. Put keys that only
  this program knows into `cocosearch-py.yaml`, which is read first; both files count.
- {ignored}.
  The sections {tolerated} are not read.
- `indexing.strategy`: `treesitter` cuts at definitions and, where a file cannot be parsed, at lines; `lines` at lines;
  `tokens` at lines, as many as have `indexing.tokenChunkSize` tokens by the tokenizer of the embedding model. A model
  behind an endpoint does not show its own; then the bundled model's counts.
- Overlap (`indexing.chunkOverlap`, with `tokens` `indexing.tokenChunkOverlap`) is text before a chunk that its vector
  is also made of. Chunks themselves share no text: what is stored, listed and counted is there once.
- `linkedIndexes`: a search in this project that names no index also searches the indexes named there. Names that have
  no index are skipped.

In your own file, in a file named with `--config`, and in the files of a folder that you trust, `${{NAME}}` in a value
stands for an environment variable, and `${{NAME:-other}}` for the variable or, if it is empty or not set, for `other`:

```yaml
{trusted_example}```

## What a project's file may not set

A configuration file often arrives with a clone, so somebody else may have written it. By itself, such a file can
change how its project is indexed and searched, and nothing else:

- It cannot set the keys marked *user only* below: those that decide where text, keys and passwords are sent, or which
  files are loaded as a model.
- Environment variables are never put into its values. A value with `${{NAME}}` or `${{NAME:-other}}` in it is ignored
  as a whole.

Values that are ignored for this reason do not stop a command. A warning names them, and `config show` says for each of
them file and line, the reason, and how to allow it. There is no warning for a value that would change nothing.

If you trust a folder, its files may set everything except `trust.folders`:

```console
$ cocosearch-py config trust ~/work/shop        # this folder only
$ cocosearch-py config trust '~/work/*'         # every folder below ~/work, at any depth
$ cocosearch-py config untrust ~/work/shop
```

Without a folder, `config trust` takes the folders of the configuration files that are read where you are. The list is
kept as `trust.folders` in your own file; `config show` prints it. It works like git's `safe.directory`:

- Paths are compared after links are resolved.
- An entry covers the files in that folder, not those in folders below it. It covers them whoever owns them, now and
  later: trust a folder only if you trust everybody who can change it, for instance by a commit that you pull.
- An entry that ends in `/*` covers all folders below; `*` alone covers every folder. Such entries count only for files
  that belong to you or to root and that not everybody can write.
- Your own file is ignored, with a warning, if it belongs to another user or if everybody can write it.
- If the variable `COCOSEARCH_TRUST_FOLDERS` is set, it takes the place of the list.

Your own repositories are not trusted by default either: they hold what others have committed.

## Embedding endpoints

With the providers `ollama`, `openai` and `openrouter`, the text of your files goes over HTTP to `embedding.baseUrl`.

- If the endpoint is busy or fails in passing (status 408, 425, 429, 500, 502, 503, 504 or 529, a timeout, a broken
  connection), the request is sent again: up to 6 times for a batch of texts, twice for a query, with growing pauses and
  for two minutes at most. A `Retry-After` of up to 30 seconds is respected; if the endpoint asks for more, the command
  ends with an error that says so.
- A batch that is refused with status 400, 413 or 422 is sent again in halves. If a single text is refused, the error
  shows how it begins.
- Redirects are not followed, so the key and the text go only to the address in your settings. The error names the new
  address.
- The proxy in `HTTPS_PROXY` is used for `https` addresses. Plain `http` requests never go through a proxy, because it
  could read the key.
- While it does not answer, searches go by words and names alone and say so; only a search for meaning alone
  (`use_hybrid_search: false`) and a run that has to embed are errors. It is asked again after 30 s, and at once where
  it refused the text of a question alone (status 400, 413 or 422).
- A user name and password in `embedding.baseUrl` are sent as basic authentication if there is no `embedding.apiKey`.

## Environment variables

Every setting has one, named in the tables. Write lists with commas or as JSON, and mappings as JSON. An empty variable
counts as not set. There are also:

| variable | stands for |
|---|---|
{variables}

Of other programs' variables, `WORKSPACE_PATH`, `QDRANT_URL`, `QDRANT_API_KEY` and all that begin with `MIMIR_` have no
effect: name the folder as an argument, or set `COCOSEARCH_PROJECT_PATH`.

A server reads the section `server` from the environment, from your own file and from one named with `--config`, when it
starts; files of projects have no say in it. Its flags and shorter variables (`MCP_TRANSPORT`, `COCOSEARCH_MCP_PORT`,
`COCOSEARCH_TOOLSETS`, `COCOSEARCH_READ_ONLY`, `COCOSEARCH_ROOTS`, `COCOSEARCH_AUTH_TOKEN`, `COCOSEARCH_IDLE_TIMEOUT`)
count before it.
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
    "COCOSEARCH_SERVER_URL": "a server elsewhere that does the work of commands; see how-to/server-elsewhere.md",
    "COCOSEARCH_PATH_PREFIX": "with it: a folder here and the same one there, as `/home/me/src:/projects`",
    "COCOSEARCH_PROJECT_PATH": "the folder a command works on, instead of the current one",
    "COCOSEARCH_DATA_DIR": "where the embedded database and the log are kept, instead of the user's data folder",
}


def page() -> str:
    """The whole text of the page."""
    other = {name: f"`{key}`" for name, key in OTHER_NAMES.items()}
    for name, key in LAST_NAMES.items():
        more = ", and `embedding.provider` is `ollama`" if name in OF_OLLAMA else ""
        other[name] = f"`{key}`, where nothing else sets it{more}"
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
