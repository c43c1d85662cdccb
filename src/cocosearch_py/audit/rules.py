"""What is looked for, by id: titles and help as answers, SARIF and the page about audits show them."""

from collections.abc import Mapping

from cocosearch_py.model.audit import Rule

_RULES = (
    Rule(
        id="import-cycle",
        title="Import cycle",
        severity="high",
        help=(
            "Files that import each other in a circle can be neither understood nor tested nor loaded alone. Move what "
            "both need into a third file, or let one of them get the other as an argument."
        ),
    ),
    Rule(
        id="large-file",
        title="Large file",
        severity="medium",
        help="A file of so many lines has more than one subject. Split it where few definitions use each other.",
    ),
    Rule(
        id="large-symbol",
        title="Large definition",
        severity="medium",
        help="A function or class of so many lines does more than one thing. Move steps of it into functions.",
    ),
    Rule(
        id="fan-in",
        title="Many files depend on this one",
        severity="medium",
        help="A change of this file reaches many others. Keep its interface small and stable, and well tested.",
    ),
    Rule(
        id="fan-out",
        title="This file depends on many others",
        severity="medium",
        help="A file that needs so many others changes whenever one of them does. Split it, or move its parts down.",
    ),
    Rule(
        id="dead-code",
        title="Nothing uses this",
        severity="low",
        part="dead-code",
        help=(
            "No file of the index uses this definition, and nothing was found that would from outside. Remove it if "
            "the finding is actionable; of a candidate look first at what the evidence says may still use it."
        ),
    ),
    Rule(
        id="test-only",
        title="Only tests use this",
        severity="low",
        part="dead-code",
        help="Only tests use this definition: move it to them, or remove it with what they test.",
    ),
)

RULES: Mapping[str, Rule] = {one.id: one for one in _RULES}
