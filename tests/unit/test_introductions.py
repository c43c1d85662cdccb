"""First sentences of projects and files."""

import pytest

from cocosearch_py.navigation.introductions import entries_of, of_file, of_page, of_project
from cocosearch_py.navigation.introductions import script_for_tests as script_of


@pytest.mark.parametrize(
    ("page", "said"),
    [
        ("# Name\n\nName is a tool. It helps.\n", "Name is a tool."),
        ("Name\n====\n\nA tool that `helps`_ people e.g. you. More.\n", "A tool that helps people e.g. you."),
        ("[![b](x.svg)](y)\n\n<p>Name makes **good** [things](u) for all.</p>\n", "Name makes good things for all."),
        ("Release 2.0 is out now!\n\n---\n\nName is a web framework in [Go][1].\n", "Name is a web framework in Go."),
        ("```sh\nrun this and that now\n```\n\n    or this and that now\n\n- a list of some things\n", ""),
        (
            ".. image:: a.png\n   :alt: some words of a picture\n\nA page of reStructuredText.\n",
            "A page of reStructuredText.",
        ),
        ("", ""),
    ],
)
def test_a_page_says_what_something_is(page: str, said: str) -> None:
    assert of_page(page) == said


@pytest.mark.parametrize(
    ("text", "language_id", "said"),
    [
        ('#!/usr/bin/env python\n# -*- coding: utf-8 -*-\n"""Do it.\n\nMore."""\n', "python", "Do it."),
        ('"""First line\nof two. And more."""\nimport os\n', "python", "First line of two."),
        ('import os\n\n"""No docstring."""\n', "python", ""),
        (
            "/*\n * Copyright 2026 Somebody.\n */\n\n// Package a does things.\npackage a\n",
            "go",
            "Package a does things.",
        ),
        ("'use strict';\n\n/**\n * Builds URLs. Well.\n */\nexport default 1;\n", "javascript", "Builds URLs."),
        ("// eslint-disable\nimport a from 'b';\n", "javascript", ""),
        ("#include <stdio.h>\n// later\n", "c", ""),
        ("<?php\n// Shows pages.\necho 1;\n", "php", "Shows pages."),
        ("#!/bin/sh\n# Build it all.\nset -e\n", "bash", "Build it all."),
        ("# Title\n\nThe page of the thing is here.\n", "markdown", "The page of the thing is here."),
    ],
)
def test_a_file_says_what_it_is(text: str, language_id: str, said: str) -> None:
    assert of_file(text, language_id) == said


def test_a_manifest_comes_before_a_readme() -> None:
    manifest = '{"description": "From the manifest", "bin": {"it": "bin/it.js"}, "scripts": {"test": "vitest"}}'
    read = {"README.md": "It is a thing of the page.", "package.json": manifest}
    assert of_project(read) == "From the manifest"
    assert (entries_of(read), script_of(read)) == (["it = bin/it.js"], "npm test")
    for broken in ("{", "[1]", '{"description": 1, "bin": 2, "scripts": 3}', "[" * 100_000):
        read["package.json"] = broken
        assert of_project(read) == "It is a thing of the page."
        assert (entries_of(read), script_of(read)) == ([], None)
    assert of_project({"__init__.py": '"""The parts of it."""\n'}) == "The parts of it."
    assert script_of({"Makefile": "all: test\n\ntest: all\n"}) == "make test"
