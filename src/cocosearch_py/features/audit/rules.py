"""Rules of audits by id: titles and help as answers, SARIF and the page about audits show them."""

from collections.abc import Mapping

from cocosearch_py.features.audit.findings import Rule, Severity

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
        help="A file this long usually covers more than one subject. Split it where few definitions use each other.",
    ),
    Rule(
        id="large-symbol",
        title="Large definition",
        severity="medium",
        help="A function or class this long usually does more than one thing. Move steps of it into functions.",
    ),
    Rule(
        id="fan-in",
        title="Many files depend on this one",
        severity="medium",
        help="A change to this file affects many others. Keep its interface small, stable and well tested.",
    ),
    Rule(
        id="fan-out",
        title="This file depends on many others",
        severity="medium",
        help="A file that depends on so many others changes with each of them. Split it, or move parts down a layer.",
    ),
    Rule(
        id="dead-code",
        title="Nothing uses this",
        severity="low",
        part="dead-code",
        help=(
            "No indexed file uses this definition, and no sign of use from outside was found. Remove it if "
            "the finding is actionable. If it is a candidate, first check the possible uses that the evidence names."
        ),
    ),
    Rule(
        id="unused-file",
        title="Nothing loads this file",
        severity="low",
        part="dead-code",
        help=(
            "No loaded file imports this file, and its path occurs nowhere in the index. Remove it "
            "and the code that only it uses, unless a tool finds it by folder or name, or people start it by hand."
        ),
    ),
    Rule(
        id="test-only",
        title="Only tests use this",
        severity="low",
        part="dead-code",
        help="Only tests use this definition: move it to the tests, or remove it together with them.",
    ),
)

_LEAKED = (
    "Anyone who can read the repository, or ever could, has it. Removing it from the file does not remove it from the "
    "history. Revoke it where it was issued, and keep the new one outside the repository. If it is not a secret, or "
    "may be public, mark the line: `pragma: allowlist secret`."
)
_NAMED = "It is assigned to a name that suggests a secret, and does not look like a placeholder. "
_RANDOM = "It looks random and follows a name that suggests a secret, or the same value is a secret elsewhere. "
# Id, title, severity, what more there is to say.
_SECRETS: tuple[tuple[str, str, Severity, str], ...] = (
    ("private-key", "Private key", "critical", ""),
    ("artifactory", "Artifactory credential", "critical", ""),
    ("aws-key", "AWS key", "critical", ""),
    ("azure-storage-key", "Azure storage account key", "critical", ""),
    ("cloudant", "Cloudant credential", "critical", ""),
    ("discord-bot-token", "Discord bot token", "critical", ""),
    ("github-token", "GitHub token", "critical", ""),
    ("gitlab-token", "GitLab token", "critical", ""),
    ("ibm-cloud-iam-key", "IBM Cloud key", "critical", ""),
    ("ibm-cos-hmac", "IBM Cloud Object Storage key", "critical", ""),
    ("mailchimp-key", "Mailchimp key", "critical", ""),
    ("npm-token", "Package registry token", "critical", ""),
    ("openai-key", "OpenAI key", "critical", ""),
    ("pypi-token", "PyPI token", "critical", ""),
    ("sendgrid-key", "SendGrid key", "critical", ""),
    ("slack-token", "Slack token or webhook", "critical", ""),
    ("softlayer-key", "SoftLayer key", "critical", ""),
    ("square-secret", "Square OAuth secret", "critical", ""),
    ("stripe-key", "Stripe key", "critical", ""),
    ("telegram-bot-token", "Telegram bot token", "critical", ""),
    ("twilio-key", "Twilio key", "critical", ""),
    ("basic-auth-url", "Password in a URL", "high", ""),
    ("assigned", "Value assigned to a secret's name", "high", _NAMED),
    ("jwt", "Signed token", "medium", "It may have expired: its middle part holds the expiry time. "),
    ("random-hex", "Random hex string near a secret's name", "medium", _RANDOM),
    ("random-base64", "Random string near a secret's name", "medium", _RANDOM),
    ("public-ip", "Public IP address", "low", "It shows attackers where to look, and changes more often than code. "),
)
_DUPLICATED = (
    "A bug in one copy is in all of them, and is often fixed in only one. Make it a function, unless the copies are "
    "similar by chance and will diverge."
)
_FURTHER = (
    *(
        Rule(id=f"secret/{name}", title=title, severity=severity, part="secrets", help=more + _LEAKED)
        for name, title, severity, more in _SECRETS
    ),
    Rule(id="duplicate", title="Copied code", severity="low", part="duplicates", help=_DUPLICATED),
    Rule(
        id="renamed-duplicate",
        title="Copied code with different names or values",
        severity="low",
        part="duplicates",
        help=_DUPLICATED + " The differences become its arguments.",
    ),
)

RULES: Mapping[str, Rule] = {one.id: one for one in (*_RULES, *_FURTHER)}
