"""Reads files for detectors that look at the disk, as safely as indexing does."""

from cocosearch_py.discovery.reading import Reader
from cocosearch_py.discovery.sniff import Skip, inspect


def read_text(reader: Reader, path: str) -> bytes | str:
    """The text of a file in UTF-8, or in a few words why it is not read."""
    try:
        data = reader.read(path)
    except FileNotFoundError:
        return "gone meanwhile"
    except OSError as error:
        return f"cannot be read: {error.strerror}"
    if isinstance(data, Skip):
        return data.rule
    text = inspect(path, data)
    return text.rule if isinstance(text, Skip) else text.source
