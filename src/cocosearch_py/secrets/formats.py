"""Formats of credentials, as their issuers document them, and of addresses with passwords in them.

Each has bytes that must stand in a text before its pattern is tried: nearly all files are done with those.
"""

import re
from collections.abc import Sequence
from typing import NamedTuple


class Format(NamedTuple):
    """One kind of credential: `needles`, of which a text has to have one; the value is group 1 if there is one."""

    rule: str
    needles: tuple[bytes, ...]
    pattern: re.Pattern[bytes]


def _format(rule: str, needles: str, *pattern: bytes) -> Format:
    return Format(f"secret/{rule}", tuple(needle.encode() for needle in needles.split()), re.compile(b"".join(pattern)))


# A value in quotes or bare, that a name with these words is given.
_GIVEN = rb"[\w.-]{0,30}[\"']?\]?\s{0,3}(?:=>|:=|=|:)\s{0,3}[\"']?"
_KEY = rb"(?:api)?[_-]?(?:key|pwd|pw|password|pass|token)"
_BEGIN, _END = rb"(?<![A-Za-z0-9])", rb"(?![A-Za-z0-9])"
_USER = rb"[^\s:/?#\[\]@!$&'()*+,;=\"`<>{}|\\]{1,80}"
_PASSWORD = rb"[^\s:/?#\[\]@!$&'()*+,;=\"`<>|\\]{1,200}"
_KEY_KINDS = rb"(?:(?:RSA|DSA|EC|OPENSSH|ENCRYPTED|PGP|SSH2(?: ENCRYPTED)?) )?"

FORMATS: Sequence[Format] = (
    _format("artifactory", "AKC AP", rb"(?<![^\s=:\"'])(AKC[a-zA-Z0-9]{10,}|AP[0-9A-F][a-zA-Z0-9]{8,})(?![^\s\"'])"),
    _format("aws-key", "AKIA ASIA ABIA ACCA A3T", _BEGIN, rb"((?:A3T[A-Z0-9]|A(?:BI|CC|KI|SI)A)[0-9A-Z]{16})", _END),
    _format(
        "aws-key",
        "aws Aws AWS",
        rb"(?i:aws[\w.-]{0,20}(?:key|pwd|pw|password|pass|token|secret)[\w.-]{0,20})[\"']?\s{0,3}(?:=>|:=|[=:,(])",
        rb"\s{0,3}[\"']?([0-9a-zA-Z/+]{40})(?![0-9a-zA-Z/+=])",
    ),
    _format("azure-storage-key", "AccountKey=", rb"AccountKey=([a-zA-Z0-9+/]{86}==)"),
    _format(
        "cloudant",
        "cloudant Cloudant CLOUDANT",
        rb"(?i:cloudant[\w.-]{0,20}?" + _KEY + rb")" + _GIVEN + rb"([0-9a-f]{64}|[a-z]{24})" + _END,
    ),
    _format("cloudant", "cloudant.com", rb"://[\w-]+:([0-9a-f]{64}|[a-z]{24})@[\w-]+\.cloudant\.com"),
    _format("discord-bot-token", ".", rb"(?<![\w-])([MNO][\w-]{23,25}\.[\w-]{6}\.[\w-]{27,38})(?![\w-])"),
    _format(
        "github-token",
        "ghp_ gho_ ghu_ ghs_ ghr_ github_pat_",
        _BEGIN + rb"(gh[pousr]_[A-Za-z0-9_]{36,251}|github_pat_[A-Za-z0-9_]{60,90})(?!\w)",
    ),
    _format(
        "gitlab-token",
        "glpat- gldt- glft- glsoat- glrt- GR1348941 glcbt- glimt- glptt- glagent- gloas-",
        _BEGIN + rb"((?:gl(?:pat|dt|ft|soat|rt)-|GR1348941|glcbt-(?:[0-9a-fA-F]{2}_)?)[\w-]{20,50}|glimt-[\w-]{25}",
        rb"|glptt-[\w-]{40}|glagent-[\w-]{50,1024}|gloas-[\w-]{64})(?!\w)",
    ),
    _format(
        "ibm-cloud-iam-key",
        "ibm Ibm IBM iam IAM",
        rb"(?i:(?<![a-z])(?:ibm|iam|cloud[_-]?iam)[\w.-]{0,20}?" + _KEY + rb")" + _GIVEN,
        rb"([a-zA-Z0-9_-]{44})(?![\w-])",
    ),
    _format(
        "ibm-cos-hmac",
        "ecret ECRET",
        rb"(?i:(?:cos|hmac|secret)[_-]?(?:hmac)?[_-]?(?:secret)?[_-]?(?:access)?[_-]?key)" + _GIVEN,
        rb"([a-f0-9]{48})" + _END,
    ),
    _format("jwt", "eyJ", rb"(?<![\w-])(eyJ[\w-]{8,}={0,2}\.[\w-]{8,}={0,2}(?:\.[\w-]*)?)"),
    _format("mailchimp-key", "-us", _BEGIN, rb"([0-9a-z]{32}-us[0-9]{1,2})", _END),
    _format(
        "npm-token",
        "_authToken npm_",
        rb"_authToken\s*=\s*[\"']?(npm_[A-Za-z0-9]{20,}|[A-Fa-f0-9]{8}-[A-Fa-f0-9-]{27})",
        rb"|(?<!\w)npm_[A-Za-z0-9]{36}(?!\w)",
    ),
    _format("openai-key", "T3BlbkFJ", rb"(?<![\w-])(sk-[\w-]*[\w-]{20}T3BlbkFJ[\w-]{20,})"),
    _format(
        "private-key",
        "PRIVATE PuTTY-User-Key-File-",
        rb"-----BEGIN " + _KEY_KINDS + rb"PRIVATE KEY(?: BLOCK)?-----",
        rb"|---- BEGIN SSH2 ENCRYPTED PRIVATE KEY ----|PuTTY-User-Key-File-[23]:",
    ),
    _format("pypi-token", "pypi-Ag", rb"(pypi-Ag(?:EIcHlwaS5vcmc|ENdGVzdC5weXBpLm9yZw)[\w-]{50,})"),
    _format("sendgrid-key", "SG.", rb"(?<![\w.])(SG\.[\w-]{22}\.[\w-]{43})(?![\w-])"),
    _format("slack-token", "xox xapp-", rb"(?i:(xox[abposre]-(?:\d+-)+[a-z0-9]+|xapp-\d-[A-Z0-9]+-\d+-[a-f0-9]+))"),
    _format("slack-token", "hooks.slack.com/services/", rb"hooks\.slack\.com/services/(T\w+/B\w+/\w+)"),
    _format(
        "softlayer-key",
        "softlayer SoftLayer SOFTLAYER Softlayer",
        rb"(?i:softlayer[_-]?" + _KEY + rb")" + _GIVEN + rb"([a-z0-9]{64})" + _END,
        rb"|api\.softlayer\.com/soap/v3(?:\.1)?/([a-z0-9]{64})",
    ),
    _format("square-secret", "sq0csp-", rb"(sq0csp-[0-9A-Za-z\\_-]{43})"),
    _format("stripe-key", "k_live_", _BEGIN, rb"([rs]k_live_[0-9a-zA-Z]{24,247})"),
    _format("telegram-bot-token", ":AA", rb"(?<!\w)(\d{8,10}:AA[0-9A-Za-z_-]{33})(?![\w-])"),
    _format("twilio-key", "AC SK", _BEGIN, rb"((?:AC|SK)[a-f0-9]{32})", _END),
    _format("basic-auth-url", "://", rb"(?<=://)", _USER, rb":(", _PASSWORD, rb")@(?=[\w\[])"),
)
