"""The text that tells agents when to use which tool, as a marked block in their files of rules. Pure."""

from collections.abc import Collection

from cocosearch_py.errors import ConfigurationError

BEGIN = "<!-- cocosearch-py: begin -->"
END = "<!-- cocosearch-py: end -->"
CURSOR_HEAD = "---\ndescription: When to search code with cocosearch\nalwaysApply: true\n---\n"


_OF_TOOLSETS = {  # of those that a server lists only where its settings name them
    "wiki": "- For knowledge about this project beyond its code: `wiki_search` before you begin, `wiki_contribute` or\n"
    "  `wiki_compound` when you learned something, `wiki_record_failure` when a fix did not work.\n",
    "edit": "- To change lines of a file that you read: `patch_file` with the `hash` of `read_code` as `if_hash`; for\n"
    "  a new file `create_file`.\n",
}


def rules_text(server: str, toolsets: Collection[str] = ()) -> str:
    """The rules for a server of this name, without markers. `toolsets`: that its settings name."""
    named = {"wiki", *toolsets} if "all" in toolsets else toolsets
    return f"""\
## Code search

This project can be searched with the tools of the MCP server `{server}`.

- To find where or how something is done, or a name you know in part: `search_code`, before grep, and before opening
  files one after the other. Ask in plain words or by name.
- For every occurrence of a text or pattern: `search_text`, which also names the definition around each.
- For a definition by its name: `find_symbol`; for who calls or uses it: `find_references`.
- To read: `read_code` with lines or a name instead of a whole file, `summarize` before opening several. A file whose
  name you know and that you are going to edit: the file tools.
- When it answers that the project has no index: `index_codebase` with the project's path, once.
- When results are old or surprise you: `index_codebase` again (only changes are read), or `analyze_query`.
{"".join(text for toolset, text in _OF_TOOLSETS.items() if toolset in named)}"""


def with_block(text: str, server: str, name: str, toolsets: Collection[str] = ()) -> str:
    """Return the text with our block in it: in place of an earlier one, else at the end. Same twice as once.

    Raises:
        ConfigurationError: a marker stands alone or several times, so what is ours is not known.
    """
    newline = "\r\n" if "\r\n" in text else "\n"
    block = f"{BEGIN}\n{rules_text(server, toolsets)}{END}".replace("\n", newline)
    if text.count(BEGIN) != text.count(END) or text.count(BEGIN) > 1 or text.find(END) < text.find(BEGIN):
        raise ConfigurationError(
            f"{name} does not have exactly one pair of cocosearch-py markers",
            hint=f"remove the lines '{BEGIN}' and '{END}' and everything between them; nothing was written",
        )
    if BEGIN in text:
        before, _, rest = text.partition(BEGIN)
        return before + block + rest.partition(END)[2]
    gap = "" if not text.strip() else newline if text.endswith("\n") else newline * 2
    return f"{text}{gap}{block}{newline}"
