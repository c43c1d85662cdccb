"""Intent of a question, and the words that name its subject. Pure.

A question is matched with forms of English sentences; what fits none is one to search for.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

Intent = Literal[
    "callers", "callees", "path", "uses", "thrown", "defined", "importers", "imports", "dependents", "heirs", "bases",
    "tests", "configured", "how",
]  # fmt: skip


@dataclass(frozen=True, slots=True)
class Question:
    """A question as it is understood.

    Attributes:
        subject: the words for what it is about; of a `path`, for where it begins; of a `how`, all without politeness.
        other: of a `path`, the words for where it ends.
        is_far: also what is several steps away is meant.
    """

    text: str
    intent: Intent
    subject: str
    other: str = ""
    is_far: bool = False


_THINGS = (
    r"(?:other |different |of the )*(?:functions?|methods?|code|places?|files?|modules?|classes|class|types?|packages?|"
    r"components?|parts?|things?|interfaces?|structs?|objects?|handlers?|services?|packages?|lines?)"
    r"(?: (?:of|in) (?:the |this )?(?:code|project|repo))?"
)
_WHO = rf"(?:who|what|which|what all|which (?:of )?the|what other)(?: {_THINGS})?(?: that)?(?: else)?(?: all)?"
_WHAT = rf"(?:what|which) (?:{_THINGS} )?"
_MAY = r"(?: can| may| might| could| will| would| do| does| is| are)?"
_X = r"(?P<name>.+?)"
_Y = r"(?P<other>.+?)"
_WE = r"(?:we|i|you|it|they|the code|the app|the program|this|anyone|people)"
_IS = r"(?:is|are|was|were|gets?|does|do|can|could)"
_BREAKS = r"what (?:would |will |might |could |may )?(?:breaks?|be broken|is affected|be affected|fails?)"
_CHANGE = r"(?:changes?|changing|modify|modifying|remove|removing|delete|deleting|rename|renaming)"
_HEIRS = r"(?:sub ?class(?:es)?|children|child classes|implementors|implementers|heirs|descendants)"
_BASES = r"(?:bases?|base class(?:es)?|super ?class(?:es)?|parent(?: class)?(?:es)?|ancestors)"
_CHECK = r"(?:for|of|covers?|tests?|testing|exercises?|covering|exercising|checks?|verif(?:y|ies)|calls?|uses?)"
_USED = r"(?:used|referenced|instantiated|constructed|accessed|read|consumed|mentioned)"
_FORMS: Sequence[tuple[Intent, str]] = (
    ("path", rf"how (?:does|do|can|could) {_X} (?:reach|get to|lead to|end up (?:in|at|calling)) {_Y}"),
    ("path", rf"(?:the )?(?:call )?(?:path|paths|chain|way|route)(?: of calls)? from {_X} to {_Y}"),
    ("callees", rf"{_WHAT}(?:does|do|is|are) {_X} (?:call|invoke|calling|invoking)(?: into)?"),
    ("callees", rf"{_WHAT}(?:is|are|gets?) (?:called|invoked|used) (?:by|from|in|inside|within) {_X}"),
    ("callees", rf"(?:the )?(?:callees|calls made) (?:of|by|in|from) {_X}"),
    ("callees", rf"{_WHAT}(?:does|do) {_X} (?:use|rely on|make use of)"),
    ("callers", rf"{_WHO}{_MAY} (?:calls?|invokes?|calling|invoking)(?: into| to)? {_X}"),
    ("callers", rf"where {_IS} {_X} (?:being )?(?:called|invoked)(?: from| by)?"),
    ("callers", rf"(?:where|from where|when) (?:do|does) {_WE} (?:call|invoke) {_X}"),
    ("callers", rf"(?:the |all )*(?:callers?|invocations?|call ?sites?|calls) (?:of|to|for) {_X}"),
    ("callers", rf"(?:the |all )*{_THINGS} (?:that |which )?(?:call|calling|calls|invoke) {_X}"),
    ("thrown", rf"where {_IS} {_X} (?:being )?(?:thrown|raised)(?: from)?"),
    ("thrown", rf"(?:where|when) (?:do|does) {_WE} (?:throw|raise) {_X}"),
    ("thrown", rf"{_WHO}{_MAY} (?:throws?|raises?|throwing|raising) {_X}"),
    ("thrown", rf"(?:the |all )*{_THINGS} (?:that |which )?(?:throw|raise|throwing|raising) {_X}"),
    ("importers", rf"{_WHO}{_MAY} (?:imports?|importing|includes?|requires?) {_X}"),
    ("importers", rf"where {_IS} {_X} (?:being )?(?:imported|included|required)(?: from)?"),
    ("importers", rf"(?:the |all )*(?:importers|imports) (?:of|to) {_X}"),
    ("imports", rf"{_WHAT}(?:does|do) {_X} (?:import|include|require|depend on|need|rely on)"),
    ("imports", rf"(?:the |all )*dependencies of {_X}"),
    ("dependents", rf"{_WHO}{_MAY} (?:depends?|relies|rely) (?:up)?on {_X}"),
    ("dependents", rf"(?:the |all )*(?:dependents|dependants|reverse dependencies) of {_X}"),
    ("dependents", rf"{_BREAKS} (?:if|when|by) (?:{_WE} )?{_CHANGE} {_X}"),
    ("dependents", rf"{_BREAKS} (?:if|when) {_X} (?:changes?|is changed|is removed|is deleted|is renamed|breaks)"),
    ("dependents", rf"(?:the )?impact of (?:changing |changes to |a change to )?{_X}"),
    ("bases", rf"{_WHAT}(?:does|do) {_X} (?:extend|inherit(?: from)?|implement|derive from|subclass)"),
    ("bases", rf"(?:the |all )*{_BASES} of {_X}"),
    ("heirs", rf"{_WHO}{_MAY} (?:extends?|inherits?(?: from)?|subclass(?:es)?|derives? from|overrides?) {_X}"),
    ("heirs", rf"(?:what|who|which (?:classes|types|structs|objects|things))(?: all)? implements? {_X}"),
    ("heirs", rf"(?:the |all )*{_HEIRS} of {_X}"),
    ("tests", rf"where {_IS} {_X} tested"),
    ("tests", rf"(?:which|what) (?:unit )?tests?(?: {_THINGS})?(?: (?:is|are|do|does|exist|there))* {_CHECK} {_X}"),
    ("tests", rf"(?:how (?:is|are)) {_X} tested"),
    ("tests", rf"what tests {_X}"),
    ("tests", rf"(?:the |all |unit )*tests (?:for|of|covering) {_X}"),
    ("configured", rf"where {_IS} {_X} (?:being )?(?:configured|set up|set|enabled|disabled|turned on|turned off)"),
    ("configured", rf"where (?:do|does|can|could|should) {_WE} (?:configure|set up|set|enable|disable) {_X}"),
    ("uses", rf"{_WHO}{_MAY} (?:uses?|using|references?|refers to|instantiates?|consumes?|reads?|mentions?) {_X}"),
    ("uses", rf"where {_IS} {_X} (?:being )?{_USED}"),
    ("uses", rf"where (?:do|does) {_WE} (?:use|reference|instantiate|construct|access|read) {_X}"),
    ("uses", rf"(?:the |all )*(?:usages?|uses?|references?|instances?) (?:of|to) {_X}"),
    ("defined", rf"where {_IS} {_X} (?:being )?(?:defined|declared|implemented|located|found|live|lives|kept)"),
    ("defined", rf"where (?:do|does|can|could) {_WE} (?:find|define|declare|implement) {_X}"),
    ("defined", rf"(?:the )?(?:definition|declaration|implementation|source|source code|location) of {_X}"),
    ("defined", rf"(?:which|what) (?:file|files|module|modules|package|class)(?: is it that)? "
                rf"(?:defines?|declares?|implements?|contains?|holds?|has) {_X}"),
    ("defined", rf"where (?:is|are) {_X}"),
    ("defined", rf"(?:what|who) (?:is|are) {_X}"),
)  # fmt: skip
_READ = [(intent, re.compile(form, re.IGNORECASE)) for intent, form in _FORMS]
_POLITE = re.compile(
    r"(?:please|hi|hello|hey|so|and|now|ok|okay|"
    r"(?:can|could|would|will) you (?:please )?(?:tell|show|find|list|explain)(?: me| us| out)?(?: to me)?|"
    r"(?:tell|show|give) (?:me|us)|find(?: out| me)?|list|i(?:'d like| want| need) to know|do you know)"
    r"[ ,:]+(?:please )?",
    re.IGNORECASE,
)
_HERE = re.compile(
    r"[ ,]+(?:(?:any|some|every)where|here|exactly|please|directly|actually|right now|"
    r"(?:in|within|across|throughout|inside) (?:this |the |our |my |that )?"
    r"(?:whole |entire )?(?:code ?base|code|project|repository|repo|app|application|package|library|program))"
    r"(?: at all)?$",
    re.IGNORECASE,
)
_FAR = re.compile(
    r"\b(?:indirectly|transitively|recursively|eventually|ultimately|(?:directly|) or indirectly)\b ?", re.IGNORECASE
)
_SHORT = re.compile(r"\b(who|what|where|how)['\u2019]s\b", re.IGNORECASE)
_SPACES = re.compile(r"\s+")
_MOST_CHARS = 300  # of a question that the forms are compared with


def read_question(text: str) -> Question:
    """The intent and the subject of a question; `how` if it has none of the known forms."""
    asked = _SPACES.sub(" ", text).strip()
    plain = _SHORT.sub(r"\1 is", asked.rstrip("?!. "))
    is_far = _FAR.search(plain) is not None
    plain = _FAR.sub("", plain).strip()
    for _ in range(3):
        plain = _POLITE.sub("", plain, count=1) if _POLITE.match(plain) else plain
        plain = _HERE.sub("", plain)
    if len(plain) > _MOST_CHARS:
        return Question(asked, "how", asked)
    for intent, form in _READ:
        if (match := form.fullmatch(plain)) is not None:
            found = match.groupdict()
            return Question(asked, intent, found["name"].strip(), (found.get("other") or "").strip(), is_far)
    return Question(asked, "how", plain or asked, is_far=is_far)


_QUOTED = re.compile(r"[`\"'\u2018\u201c]([^`\"'\u2019\u201d]+)[`\"'\u2019\u201d]")
_ARTICLES = re.compile(
    r"^(?:(?:the|a|an|our|this|that|all|any|my|your|each|every|its|some|old|new)\s+)+", re.IGNORECASE
)
_KINDS = (
    "function functions method methods class classes type types interface struct trait module modules file files "
    "package library constant variable field property decorator enum macro hook component constructor exception error "
    "errors exceptions object service handler"
).split()
_TOKEN = re.compile(r"[^\s,;()\[\]{}<>\"'`?!]+(?:\(\))?")
_SIGN_OF_NAME = re.compile(r"[a-z0-9][A-Z]|^[A-Z][A-Z]+[a-z]|\w_\w|^_|\w::\w|\w#\w|->|\(\)$|[/\\]|^@\w|\w\.\w")
_CAPITAL = re.compile(r"[A-Z][A-Za-z0-9]*$")
_MOST_WORDS = 5  # that are joined to a name
_MOST_NAMES = 6


def names_in(subject: str) -> tuple[list[str], list[str]]:
    """Names that the words of a subject may be, the likeliest first: those that are written as names, and others.

    `the validatePassword method` is written as one; `user not found error` may be `UserNotFoundError`.
    """
    quoted = [one.strip() for one in _QUOTED.findall(subject)]
    words = [one for one in _TOKEN.findall(_ARTICLES.sub("", subject.strip()).strip())]
    written = [one for one in words if _SIGN_OF_NAME.search(one)]
    plain = [one.strip(".:") for one in words if one.strip(".:")]
    bare = [one for one in plain if one.lower() not in _KINDS]
    others: list[str] = []
    if len(bare) == 1:
        (written if _CAPITAL.match(bare[0]) else others).append(bare[0])
    elif 1 < len(plain) <= _MOST_WORDS and not written:
        others += ["".join(part) for part in (plain, bare, plain[:-1]) if len(part) > 1]
        written += [one for one in bare if _CAPITAL.match(one)] if len(bare) <= _MOST_WORDS - 2 else []
    if not bare and plain:
        others.append(plain[0])
    found = [one for one in dict.fromkeys(_bare(one) for one in (*quoted, *written)) if one]
    further = [one for one in dict.fromkeys(map(_bare, others)) if one and one not in found]
    return found[:_MOST_NAMES], further[:_MOST_NAMES]


def _bare(name: str) -> str:
    return name.strip(".:,").removesuffix("()").removeprefix("@")


def names_written(text: str) -> list[str]:
    """Names of a form that prose does not have, in order."""
    quoted = [one for one in _QUOTED.findall(text) if " " not in one.strip()]
    written = [one for one in _TOKEN.findall(text) if _SIGN_OF_NAME.search(one.strip(".:"))]
    return [one for one in dict.fromkeys(_bare(one) for one in (*quoted, *written)) if one][:_MOST_NAMES]
