"""Parsing of pipelines into steps that fit together, checked before any step runs."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from difflib import get_close_matches

from cocosearch_py.errors import ValidationError
from cocosearch_py.features.pipeline.lexer import Word, lex, lex_step
from cocosearch_py.features.pipeline.verbs import (
    DEFAULT_LIMIT,
    LOCATED,
    MAX_ITEMS,
    NAMES,
    VERBS,
    Kind,
    Option,
    Verb,
    number,
    sort_keys,
)
from cocosearch_py.model.paths import is_text

MAX_STEPS = 20
MAX_CHARS = 10_000
_LIKENESS = 0.5
_SHOWN_CHARS = 60


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Step:
    """A step of a chain.

    Attributes:
        subject: first argument; empty if the step works on the stream before it.
        options: values by name; a switch has "".
        gives: kind of its stream.
        wanted: maximum number of items that later steps take, if known.
    """

    verb: Verb
    subject: str
    options: Mapping[str, str]
    gives: Kind
    text: str
    wanted: int | None = None

    @property
    def name(self) -> str:
        """Name of the verb."""
        return self.verb.name

    def number(self, name: str, default: int) -> int:
        """Return the number of an option."""
        return int(self.options.get(name, default))


def parse(pipeline: str | None, steps: Sequence[str] | None, meanings: Mapping[str, str] = NAMES) -> tuple[Step, ...]:
    """Return the steps of a text with `|` between them, or of a list.

    Args:
        meanings: verbs by the names that mean them.
    Raises:
        ValidationError: both or none are given, too many steps, or one that is unknown, wrong or does not fit.
    """
    if (pipeline is None) == (steps is None):
        raise ValidationError(
            "give the chain either as pipeline or as steps", hint='pipeline: "search retry | limit 3"'
        )
    texts = [pipeline] if pipeline is not None else list(steps or ())
    if sum(map(len, texts)) > MAX_CHARS or not all(map(is_text, texts)):
        raise ValidationError(f"the chain is longer than {MAX_CHARS:,} characters or not text", hint="make it shorter")
    lexed = lex(texts[0]) if pipeline is not None else [lex_step(text, at) for at, text in enumerate(texts, start=1)]
    if not any(lexed):
        raise ValidationError("the chain has no steps", hint=_beginnings())
    if len(lexed) > MAX_STEPS:
        raise ValidationError(f"{len(lexed)} steps are too many", hint=f"a chain has {MAX_STEPS} at most")
    return tuple(_with_wanted(list(_read(lexed, meanings))))


def _read(lexed: Sequence[Sequence[Word]], meanings: Mapping[str, str]) -> Iterator[Step]:
    before: Kind | None = None
    for at, words in enumerate(lexed, start=1):
        step = _step(at, words, before, meanings)
        yield step
        before = step.gives


def _step(at: int, words: Sequence[Word], before: Kind | None, meanings: Mapping[str, str]) -> Step:
    """Return a step that fits behind a stream of a kind, or at the beginning. Raises ValidationError."""
    if not words:
        raise ValidationError(f"step {at} is empty", hint="write a step on each side of a |, or quote the |")
    name = words[0].text.lower().replace("-", "_")
    if name not in meanings:
        raise ValidationError(f"step {at}: unknown step '{words[0].text[:_SHOWN_CHARS]}'", hint=_known(name))
    verb = VERBS[meanings[name]]
    where = f"step {at}, {verb.name},"
    if before is None and not verb.begins:
        raise ValidationError(
            f"{where} cannot start a chain: it works on the results of an earlier step", hint=_beginnings()
        )
    if before is not None and before not in verb.takes:
        takes = f"takes {_listed(verb.takes)}" if verb.takes else "starts a chain, and takes no input"
        raise ValidationError(f"{where} {takes}; the step before it gives {before}", hint=_followers(before))
    subject, options = _arguments(where, verb, words[1:])
    text = " ".join(word.text if word.is_plain and word.text else f'"{word.text}"' for word in words)
    step = Step(verb=verb, subject=subject, options=options, gives=verb.gives or before or Kind.FILES, text=text)
    _check(where, step, before)
    return step


def _arguments(where: str, verb: Verb, words: Sequence[Word]) -> tuple[str, dict[str, str]]:
    """Return the subject of a step, and its options."""
    subject, options = list[str](), dict[str, str]()
    waiting = iter(words)
    for word in waiting:
        if not (word.is_plain and word.text.startswith("--")):
            subject.append(word.text)
            continue
        if word.text == "--":
            subject += [rest.text for rest in waiting]
            break
        spelled, is_joined, value = word.text.partition("=")
        name = spelled[2:].replace("_", "-")
        if (option := verb.options.get(name)) is None:
            known = ", ".join(f"--{key} {option.metavar}".rstrip() for key, option in verb.options.items())
            raise ValidationError(
                f"{where} has no option {spelled[:_SHOWN_CHARS]}",
                hint=f"options: {known or 'none'}; quote a text that starts with --",
            )
        if option.metavar and not is_joined:
            value = next((following.text for following in waiting), "")
        _check_value(f"{where} --{name}", option, value)
        # Repeated options are alternatives, like values with commas between them.
        options[name] = f"{options[name]},{value}" if name in options and name in ("language", "kind") else value
    return " ".join(subject), options


def _check_value(where: str, option: Option, value: str) -> None:
    """Raise ValidationError for a value that an option cannot have."""
    if option.metavar and not value:
        raise ValidationError(f"{where} needs a value", hint=f"write the value after it: {option.metavar}")
    if value and not option.metavar:
        raise ValidationError(f"{where} takes no value", hint="write the option alone")
    if option.bounds:
        number(value, option.bounds, where)
    if option.choices and value not in option.choices:
        raise ValidationError(f"{where} is '{value[:_SHOWN_CHARS]}'", hint=f"known: {', '.join(option.choices)}")


def _check(where: str, step: Step, before: Kind | None) -> None:
    """Raise ValidationError for a subject that is missing or has no place here."""
    verb = step.verb
    if before is None and not step.subject.strip():
        raise ValidationError(f"{where} needs {verb.subject}", hint=f"write {verb.usage(begins=True)}")
    if step.subject and (not verb.subject or (verb.begins and before is not None)):
        raise ValidationError(
            f"{where} works on the {before or 'stream'} before it, not an argument: '{step.subject[:_SHOWN_CHARS]}'",
            hint=f"write {verb.name} alone, or start a chain with it",
        )
    if verb.name == "limit" and step.subject:
        number(step.subject, (1, MAX_ITEMS), where)
    if verb.name == "filter" and not step.subject.strip() and not step.options:
        raise ValidationError(f"{where} needs an argument", hint="filter TEXT, --language, --path-glob or --kind")
    if verb.name == "filter" and "kind" in step.options and before is Kind.FILES:
        raise ValidationError(f"{where} cannot choose a kind: files have none", hint="use --language or --path-glob")
    if verb.name == "sort" and before is not None and step.subject and step.subject not in sort_keys(before):
        raise ValidationError(
            f"{where} cannot sort {before} by '{step.subject[:_SHOWN_CHARS]}'",
            hint=f"known: {', '.join(sort_keys(before))}",
        )


def _with_wanted(steps: list[Step]) -> list[Step]:
    """Return the steps with the items wanted of each: a limit bounds `read` before it, and the step before that."""
    wanted: int | None = None
    for at in range(len(steps) - 1, -1, -1):
        step = steps[at]
        steps[at] = replace(step, wanted=wanted)
        if step.name == "limit":
            most = int(step.subject or DEFAULT_LIMIT)
            wanted = most if wanted is None else min(wanted, most)
        elif step.name != "read":
            wanted = None
    return steps


def _known(name: str) -> str:
    near = get_close_matches(name, NAMES, n=2, cutoff=_LIKENESS)
    suggestion = f"did you mean {' or '.join(near)}? " if near else ""
    return f"{suggestion}known: {', '.join(VERBS)}; quote a | that is text"


def _beginnings() -> str:
    return f"a chain starts with {', '.join(verb.usage(begins=True) for verb in VERBS.values() if verb.begins)}"


def _followers(kind: Kind) -> str:
    fitting = [verb.usage(begins=False) for verb in VERBS.values() if kind in verb.takes]
    return f"{kind} can be followed by {', '.join(fitting)}" if fitting else f"no step can follow {kind}: end the chain"


def _listed(kinds: Sequence[Kind]) -> str:
    return "results inside files" if tuple(kinds) == LOCATED else ", ".join(kinds)
