"""What is looked for, by id: titles and help as answers, SARIF and the page about audits show them."""

from collections.abc import Mapping

from cocosearch_py.model.audit import Rule, Severity

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
        id="unused-file",
        title="Nothing loads this file",
        severity="low",
        part="dead-code",
        help=(
            "No import leads to this file from one that is loaded, and no text of the index has its path. Remove it "
            "with what only it uses, unless a tool finds it by its folder or name, or people start it by hand."
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

_LEAKED = (
    "Whoever can read the repository, or ever could, has it: removing it from the file does not remove it from the "
    "history. Revoke it where it was issued, then keep its successor outside of the repository. If it is none, or "
    "may be read, say so: `pragma: allowlist secret`."
)
_NAMED = "It is given to a name that means a secret, and looks like none of the usual samples. "
_RANDOM = "It is too random for words, and what stands before it names a secret; or it is one elsewhere. "
# Id, title, severity, what more there is to say.
_SECRETS: tuple[tuple[str, str, Severity, str], ...] = (
    ("private-key", "Private key", "critical", ""),
    ("artifactory", "Credential of Artifactory", "critical", ""),
    ("aws-key", "Key of Amazon Web Services", "critical", ""),
    ("azure-storage-key", "Key of an Azure storage account", "critical", ""),
    ("cloudant", "Credential of Cloudant", "critical", ""),
    ("discord-bot-token", "Token of a Discord bot", "critical", ""),
    ("github-token", "Token of GitHub", "critical", ""),
    ("gitlab-token", "Token of GitLab", "critical", ""),
    ("ibm-cloud-iam-key", "Key of IBM Cloud", "critical", ""),
    ("ibm-cos-hmac", "Key of IBM object storage", "critical", ""),
    ("mailchimp-key", "Key of Mailchimp", "critical", ""),
    ("npm-token", "Token of a package registry", "critical", ""),
    ("openai-key", "Key of OpenAI", "critical", ""),
    ("pypi-token", "Token of PyPI", "critical", ""),
    ("sendgrid-key", "Key of SendGrid", "critical", ""),
    ("slack-token", "Token or web hook of Slack", "critical", ""),
    ("softlayer-key", "Key of SoftLayer", "critical", ""),
    ("square-secret", "OAuth secret of Square", "critical", ""),
    ("stripe-key", "Key of Stripe", "critical", ""),
    ("telegram-bot-token", "Token of a Telegram bot", "critical", ""),
    ("twilio-key", "Key of Twilio", "critical", ""),
    ("basic-auth-url", "Password in an address", "high", ""),
    ("assigned", "Value of a name that means a secret", "high", _NAMED),
    ("jwt", "Signed token", "medium", "It may have expired: its middle part says when. "),
    ("random-hex", "Random number where a secret is named", "medium", _RANDOM),
    ("random-base64", "Random text where a secret is named", "medium", _RANDOM),
    ("public-ip", "Public address of a machine", "low", "It tells where to attack, and changes more often than code. "),
)
_DUPLICATED = (
    "A fault in one copy is a fault in all, and is mended in one of them. Make a function of it, unless the copies are "
    "alike by chance and will go separate ways."
)
_FURTHER = (
    *(
        Rule(id=f"secret/{name}", title=title, severity=severity, part="secrets", help=more + _LEAKED)
        for name, title, severity, more in _SECRETS
    ),
    Rule(id="duplicate", title="Copied code", severity="low", part="duplicates", help=_DUPLICATED),
    Rule(
        id="renamed-duplicate",
        title="Copied code with other names or values",
        severity="low",
        part="duplicates",
        help=_DUPLICATED + " What differs becomes its arguments.",
    ),
)

RULES: Mapping[str, Rule] = {one.id: one for one in (*_RULES, *_FURTHER)}
