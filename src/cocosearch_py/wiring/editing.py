"""Edits, joined to the settings, to what starts programs, and to what finds definitions."""

import os
from pathlib import Path

from cocosearch_py.clients.table import starting_files
from cocosearch_py.config.load import FILE_STEMS, FILE_SUFFIXES
from cocosearch_py.config.paths import APP_NAME
from cocosearch_py.config.serving import EditSettings
from cocosearch_py.discovery.gitignore import compile_patterns
from cocosearch_py.editing.log import ChangeLog
from cocosearch_py.editing.permission import EditRules
from cocosearch_py.editing.service import Editor
from cocosearch_py.editing.soundness import Parsers
from cocosearch_py.navigation.symbols import matching

_OURS = (*(stem + suffix for stem in FILE_STEMS for suffix in FILE_SUFFIXES), f"{APP_NAME}/config.yaml")


def editor(
    log: ChangeLog, parsers: Parsers, chosen: EditSettings, data_folder: Path, global_ignore_file: Path | None
) -> Editor:
    """Make the editor of files. Our configuration, and files that start programs, are protected."""
    allowed = compile_patterns(map(os.fsencode, chosen.allow_protected), "edit.allowProtected")
    rules = EditRules((*_OURS, *starting_files()), allowed, data_folder, chosen.allow_ignored, global_ignore_file)
    return Editor(log, parsers, rules, matching)
