"""Certainty of uses, and whether a list of them is complete."""

from typing import Literal

from cocosearch_py.model.answers import Value

Confidence = Literal["resolved", "scoped", "name_only"]
CONFIDENCES: tuple[Confidence, ...] = ("resolved", "scoped", "name_only")
Level = Literal["complete", "likely", "partial"]


class Completeness(Value, kw_only=False):
    """Verdict on a list: the least sure of all steps that made it.

    `level` is complete if nothing in the index can hide others, likely if only what no parser sees can (calls by names
    made at run time, other languages), partial if there are known gaps. `blind_spots` name them.
    """

    level: Level
    blind_spots: tuple[str, ...] = ()
