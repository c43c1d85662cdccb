"""Answers to questions about code, as much of their evidence as fits."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from msgspec import structs

from cocosearch_py.errors import ValidationError
from cocosearch_py.features.ask.answering import answer, needs_graph
from cocosearch_py.features.ask.evidence import Bounds, Evidence
from cocosearch_py.features.ask.lookups import IndexLookups
from cocosearch_py.features.ask.tools import (
    MAX_CONTEXT,
    MAX_EVIDENCE,
    MAX_HOPS,
    MAX_TOKENS,
    MIN_TOKENS,
    AskAnswer,
    AskCodebaseArguments,
    NextCall,
    Piece,
    Quote,
    Source,
)
from cocosearch_py.model.code import CodePart
from cocosearch_py.model.indexes import IndexRecord
from cocosearch_py.model.paths import is_text
from cocosearch_py.search.request import build_filters
from cocosearch_py.tools.answer import Fitted, plain
from cocosearch_py.tools.answers import QUOTED
from cocosearch_py.tools.bounds import Bounded
from cocosearch_py.tools.call import Call, without_feature
from cocosearch_py.tools.emptiness import filtered_out
from cocosearch_py.tools.fitting import fit, fits, room
from cocosearch_py.tools.members import inside
from cocosearch_py.tools.warnings import remarks_on

_HASH_CHARS = 12
_REV_CHARS = 12
_MAX_LINES = 60  # of a piece of evidence, without its context
_LIKELY = 4  # pieces that are whole with their context, as long as there is room
_HEAD_LINES = 6  # of a piece where there is little
_MAX_CHARS = 1_000


@dataclass(frozen=True, slots=True)
class Asked(Fitted):
    """Answer to a question; `pieces` is all of its evidence."""

    answer: AskAnswer
    pieces: tuple[Piece, ...]

    def fitted(self, asked: AskCodebaseArguments) -> Any:
        """Return the answer with as much evidence as fits.

        Evidence loses its context first, the likeliest last, then its further lines, and at last whole pieces.
        """
        pieces = self.pieces
        for begin, shorten in _SHORTER:
            if fits(self._built(pieces, pieces), room(asked.max_tokens)):
                break
            pieces = (*pieces[:begin], *map(shorten, pieces[begin:]))
        return fit(pieces, lambda shown: self._built(shown, pieces), asked.max_tokens)

    def for_command(self, asked: AskCodebaseArguments) -> Any:
        """Return the same for people; see `Fitted`."""
        return self.fitted(asked)

    def _built(self, shown: Sequence[Piece], pieces: Sequence[Piece]) -> Any:
        warnings = self.answer.warnings
        is_cut = len(shown) < len(pieces)
        if is_cut:
            more = f"{len(shown)} of {len(pieces)} pieces of evidence fit: raise max_tokens, or lower limit"
            warnings = (*warnings, more)
        elif pieces is not self.pieces:
            short = "some evidence is shortened, or shown without context, to fit into max_tokens"
            warnings = (*warnings, short)
        return plain(structs.replace(self.answer, evidence=tuple(shown), truncated=is_cut, warnings=warnings))


def ask_codebase(call: Call, asked: AskCodebaseArguments) -> Asked:
    """Answer a question about code with evidence.

    Raises:
        ValidationError: the question is empty, too long or not text.
        FeatureMissingError: the question needs the graph, which the index lacks.
    """
    question = _checked(asked.question)
    bounded = Bounded()
    limit = bounded.value("limit", asked.limit, 1, MAX_EVIDENCE)
    hops = bounded.value("max_hops", asked.max_hops, 1, MAX_HOPS)
    context = bounded.value("context_lines", asked.context_lines, 0, MAX_CONTEXT)
    bounded.value("max_tokens", asked.max_tokens, MIN_TOKENS, MAX_TOKENS)
    globs = [asked.path_glob] if isinstance(asked.path_glob, str) else list(asked.path_glob or [])
    found = call.find()
    record = found.records[0]
    if needs_graph(question) and not record.has("graph"):
        raise without_feature(record, "graph")
    filters = inside(found, asked.member).filters(build_filters(path_globs=globs))
    lookups = IndexLookups(call, found, filters)
    answered = answer(question, lookups, Bounds(max_hops=hops, limit=limit))
    places = [
        (one.path, one.start_line, min(one.end_line, one.start_line + _MAX_LINES - 1)) for one in answered.evidence
    ]
    parts = lookups.read(places, context)
    pieces = tuple(
        _piece(record, one, part, context)
        for one, part in zip(answered.evidence, parts, strict=True)
        if part is not None
    )
    reasons = [] if pieces else filtered_out(found, filters)
    whole = AskAnswer(
        question=question,
        root=record.root_path,
        intent=answered.intent,
        confidence=answered.sureness,
        reasoning_steps=answered.steps,
        note=QUOTED,
        evidence=(),
        next_steps=tuple(_named(step, asked.index_name) for step in answered.next_calls),
        hints=answered.notes,
        warnings=(*bounded.notes, *reasons, *remarks_on(call, found, lookups.stale)),
    )
    return Asked(whole, pieces)


def _checked(text: str) -> str:
    question = text.strip()
    if not question or not is_text(question) or len(question) > _MAX_CHARS:
        raise ValidationError(
            f"the question is empty, longer than {_MAX_CHARS:,} characters or not text",
            hint="ask in one sentence: who calls X? where is E thrown? how does Y work?",
        )
    return question


def _without_context(piece: Piece) -> Piece:
    return structs.replace(piece, content=structs.replace(piece.content, pre="", post=""))


def _head(piece: Piece) -> Piece:
    """Return a piece with its first lines alone, and a mark if there are more; `lines` still says where all are."""
    lines = piece.content.text.split("\n")
    text = "\n".join([*lines[:_HEAD_LINES], "..."] if len(lines) > _HEAD_LINES + 1 else lines)
    return structs.replace(piece, content=Quote(pre="", text=text, post=""))


_SHORTER = ((_LIKELY, _without_context), (0, _without_context), (_LIKELY, _head), (0, _head))


def _named(step: NextCall, index_name: str | None) -> NextCall:
    """Return a call that names the index as the question did."""
    return structs.replace(step, arguments={**step.arguments, "index_name": index_name}) if index_name else step


def _piece(record: IndexRecord, evidence: Evidence, part: CodePart, context: int) -> Piece:
    first = part.start_line + context if part.start_line > 1 else min(evidence.start_line, part.end_line)
    last = min(first + (evidence.end_line - evidence.start_line), first + _MAX_LINES - 1, part.end_line)
    above = [text for number, text in part.lines if number < first]
    inner = [text for number, text in part.lines if first <= number <= last]
    below = [text for number, text in part.lines if number > last]
    return Piece(
        path=evidence.path,
        lines=(first, last),
        relevance=round(max(0.0, min(1.0, evidence.relevance)), 3),
        step=evidence.step,
        via=evidence.via,
        name=evidence.name,
        content=Quote(pre="\n".join(above), text="\n".join(inner), post="\n".join(below)),
        citation=Source(
            content_sha=part.hash[:_HASH_CHARS],
            rev=(record.git_commit or "")[:_REV_CHARS],
            stale=part.stale or "",
        ),
    )
