"""A bug report read line by line: which of its words are evidence of what, and which are its form. Pure.

What the form of a report says (checklists, headings of templates, versions, environments, logs, links) is left out.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field

from cocosearch_py.analysis.words import STOP_WORDS, TOKEN

_REPORT_WORDS = 30  # what has more of them, of lines or of characters is no question
_REPORT_LINES = 3
_REPORT_CHARS = 1_000
_MOST_LINE_CHARS = 1_000  # what is behind them is data
_MOST_TITLE_CHARS = 300
_MOST_ERROR_CHARS = 400  # longer lines are prose that mentions an error
_VERSION_LINE_WORDS = 4  # a program's name and what stands around it

_COMMENT = re.compile(r"<!--.*?(?:-->|\Z)", re.DOTALL)
_FENCE = re.compile(r"\s*(?:```|~~~)")
_CHECKBOX = re.compile(r"\s*[-*+]\s*\[[ xX]?\]")
_HEADING = re.compile(r"\s*(?:#{1,6}\s+(.+?)[\s#]*|(?:\*\*|__)([^*_]{3,60})(?:\*\*|__):?|([A-Z][\w /'()-]{3,40}):)\s*$")
_FORM_SECTION = re.compile(
    r"environment|version|system info|platform|checklist|checks|before submitting|prerequisite|additional context"
    r"|screenshot|affected component|region|\blogs?\b|verbose output|willing|code of conduct|contribut|dependenc|\bos\b"
    r"|setup|installed|configuration of|^tasks$|^information$|contact",
    re.IGNORECASE,
)
_STEPS_SECTION = re.compile(r"steps|reproduc|expected|actual|observed", re.IGNORECASE)
_PYTHON_FRAME = re.compile(r'File "[^"\n]+", line \d+(?:, in (\w+))?')
_OTHER_FRAME = re.compile(r"\bat (?:(?:async |new )?([\w$.<>\[\] ]+?) ?\()?[^\s()]+?:\d+(?::\d+)?\)?\s*$")
_TRACE = re.compile(r"\s*(?:Traceback\b|Stack ?trace\b|Caused by\b|```)", re.IGNORECASE)
_ERROR = re.compile(
    r"(?:^|\b)(?:[\w.]*(?:Error|Exception|Warning|Failure|Fault)\b(?:\s*[:(]|$)|(?:error|fatal|panic)\s*[:\[])"
    r"|\bpanicked at\b",
    re.IGNORECASE,
)
_ERROR_WORDS = ("error", "exception", "warning", "failure", "fault", "fatal", "panic")  # one stands in each such line
_STATEMENT = re.compile(r"\s*(?:raise|except|catch|throw|def|class|import|from|return)\b")
_LOG = re.compile(
    r"\s*(?:\[?(?:\d{4}[-/]\d\d[-/]\d\d|\d\d:\d\d:\d\d)|\[(?:debug|info|warning|notice|trace)\]"
    r"|(?:debug|info|trace|notice|warn(?:ing)?)\b\s*[:|\[]"
    r"|(?:Collecting|Downloading|Requirement already|Successfully) )",
    re.IGNORECASE,
)
_SETTING = re.compile(
    r"\s*[-*|+]?\s*[`*_]*(?:os|operating system|platform|python|node|browser|version|arch\w*|machine|kernel|locale"
    r"|byteorder|processor|commit|device|gpu|cuda|ide|editor|installation|[\w-]+ version)(?: \w+)?[`*_]*\s*[:=|]",
    re.IGNORECASE,
)
_URL = re.compile(r"(?:https?|ftp|file)://[^\s)\]>\"'`]+|\bwww\.[^\s)\]>\"'`]+")
_TAG = re.compile(r"</?[a-z][a-z0-9]{0,9}(?:\s[^<>]{0,200})?/?>", re.IGNORECASE)
_VERSION = re.compile(r"\bv?\d+(?:\.\d+){1,4}(?:[.-]?(?:dev|rc|post|alpha|beta|a|b)\.?\d*)?(?:\+\w+)?\b")
# Addresses, people, numbers of other reports, hashes.
_REFERENCE = re.compile(
    r"(?<![\w.+-])[\w.+-]{1,64}@[\w-]+\.[\w.]+|(?<!\w)@[\w-]+|(?<!\w)#\d+\b"
    r"|\b0x[0-9a-fA-F]+\b|\b(?=[a-f]*\d)[0-9a-f]{7,}\b"
)
_PROMPT = re.compile(r"\s*(?:>>>|\.\.\.|In \[\d+\]:|\$)\s")
_INDENTED = re.compile(r"(?: {4}|\t)\S")
_TICKED = re.compile(r"`+([^`\n]{1,200})`+")
_QUOTED = re.compile(r"\"([^\"\n]{2,120})\"|(?<!\w)'([^'\n]{2,120})'(?!\w)|\u201c([^\u201d\n]{2,120})\u201d")
_NAME = re.compile(r"[A-Za-z_]\w*(?:(?:\.|::|->|#)[A-Za-z_]\w*)+(?:\(\))?|[A-Za-z_]\w*(?:\(\))?")
_NAME_PARTS = re.compile(r"\.|::|->|#")
_NAME_FORM = re.compile(r"[a-z0-9][A-Z]|[A-Za-z]_[A-Za-z]|^[A-Z]{2,}(?!s$)[a-z]|^[A-Z]{1,5}\d{2,5}$|^_+[a-z]\w{2}")
# What trackers put before a title; other tags name the part that is meant: [facebook], BUG(duckdb).
_TITLE_TAG = re.compile(
    r"[\s\W]*(?:bug(?: report)?|feature(?: request)?|enhancement|request|regression|question|issue|docs?|rfc|proposal)"
    r"(?=\*{0,2}(?:[\](:\u2013]|\s-))[\])*]*\s*[:\u2013-]*",
    re.IGNORECASE,
)
_SENTENCE_END = re.compile(r"[.!?]\s")


@dataclass(slots=True)
class ReportText:
    """The words of a report with the kind of line that each stands in: title, heading, prose, ticked, quoted, error,
    frame, code or steps; with a `!` behind it where the word has the form of a name.
    """

    title: str
    mentions: list[tuple[str, str]] = field(default_factory=list)  # (word as written, kind)
    errors: list[str] = field(default_factory=list)
    is_trace: bool = False  # it begins with one

    def add(self, text: str, kind: str) -> None:
        text = _REFERENCE.sub(" ", _VERSION.sub(" ", text))
        for match in _NAME.finditer(text):
            qualified = match[0].removesuffix("()")
            called = qualified != match[0]
            parts = _NAME_PARTS.split(qualified)
            for part in parts:
                named = len(part) > 2 and (_NAME_FORM.search(part) or len(parts) > 1 or called)
                named = named and part.lower() not in STOP_WORDS
                self.mentions.append((part, kind + "!" if named else kind))


def is_report(query: str) -> bool:
    """Whether a query is more than a question: several lines, many words, or very long."""
    if len(query) > _REPORT_CHARS or len(query.split()) > _REPORT_WORDS:
        return True
    return sum(not line.isspace() for line in query.splitlines() if line) >= _REPORT_LINES


def read_report(text: str) -> ReportText:
    """Read a report; its title is its first line, or sentence, or the last error where that is no prose."""
    first, _, rest = _COMMENT.sub(" ", text).lstrip().partition("\n")
    if len(first) > _MOST_TITLE_CHARS:
        end = found.end() if (found := _SENTENCE_END.search(first)) else _MOST_TITLE_CHARS
        first, rest = first[:end], f"{first[end:]}\n{rest}"
    title = " ".join(_TITLE_TAG.sub("", first, count=1).strip("#* \t\r").split())
    report = ReportText(title or " ".join(first.split()))
    for line, fenced, section in _sections(rest):
        _read_line(report, line, "code" if fenced or _is_code(line) else section)
    report.is_trace = _is_trace(first)
    if report.errors and report.is_trace:
        report.title = report.errors[-1]
    _read_prose(report, report.title, "title")
    return report


def _is_trace(line: str) -> bool:
    return bool(_TRACE.match(line) or _PYTHON_FRAME.search(line) or _OTHER_FRAME.search(line) or _LOG.match(line))


def _sections(text: str) -> Iterator[tuple[str, bool, str]]:
    """(line, whether it stands in a fence, prose or steps) of the lines that are not form."""
    fenced, section = False, "prose"
    for line in (whole[:_MOST_LINE_CHARS] for whole in text.splitlines()):
        if _FENCE.match(line):
            fenced = not fenced
        elif not fenced and (heading := _HEADING.match(line)):
            name = heading[1] or heading[2] or heading[3]
            section = "" if _FORM_SECTION.search(name) else "steps" if _STEPS_SECTION.search(name) else "prose"
            if heading[1] and section == "prose":
                yield name, False, "heading"
        elif fenced or (section and not _CHECKBOX.match(line)):
            yield line, fenced, section or "log"


def _is_code(line: str) -> bool:
    return bool(_PROMPT.match(line) or _INDENTED.match(line))


def _read_line(report: ReportText, line: str, kind: str) -> None:
    if frame := _PYTHON_FRAME.search(line) or _OTHER_FRAME.search(line):
        report.add(frame[1] or "", "frame")
        return
    line = _TAG.sub(" ", _URL.sub(" ", line))
    if _tells_of_error(line):
        report.errors.append(line.strip())
        report.add(line, "error")
    elif not (_LOG.match(line) or _SETTING.match(line) or _is_version(line)):
        if kind == "code":
            report.add(line, kind)
        else:
            _read_prose(report, line, kind)


def _tells_of_error(line: str) -> bool:
    if len(line) >= _MOST_ERROR_CHARS or not any(map(line.lower().__contains__, _ERROR_WORDS)):
        return False
    return _STATEMENT.match(line) is None and _ERROR.search(line) is not None


def without_versions(text: str) -> str:
    """A text without the numbers of versions; as it is where nothing else is in it."""
    return " ".join(_VERSION.sub(" ", text).split()) or text


def _is_version(line: str) -> bool:
    """Whether a line names a program and its version, and says no more."""
    rest, versions = _VERSION.subn(" ", line)
    return versions > 0 and len(TOKEN.findall(rest)) <= _VERSION_LINE_WORDS


def _read_prose(report: ReportText, line: str, kind: str) -> None:
    """A line of prose; what it puts into backticks or quotation marks counts as that, unless it is the title."""
    for marked, pattern in (("ticked", _TICKED), ("quoted", _QUOTED)):
        for match in pattern.finditer(line):
            inside = next(filter(None, match.groups()), "")
            report.add(inside, kind if kind == "title" else marked)
        line = line if pattern is _QUOTED else pattern.sub(" ", line)
    report.add(line, kind)
