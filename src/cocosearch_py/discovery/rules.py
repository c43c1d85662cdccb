"""Rules of our own: secret files, folders that are never source or that the ledger omits, kinds and sizes of files."""

import re
import stat

# Folders of version control systems hold history, not files of the project; the ledger does not know them.
VERSION_CONTROL_FOLDERS = frozenset({".hg", ".svn", ".jj", ".bzr"})
GIT_NAME = ".git"  # a folder, or a file in linked worktrees and submodules

# Folders that tools fill and that hold no source of the project; skipped where no ignore rule speaks of them.
GENERATED_FOLDERS = frozenset({
    "node_modules", "bower_components", "__pycache__", ".venv", ".tox", ".nox", ".mypy_cache",
    ".pytest_cache", ".ruff_cache", ".hypothesis", ".ipynb_checkpoints", ".eggs", ".idea", ".gradle",
    ".terraform", ".next", ".nuxt", ".svelte-kit", ".parcel-cache", ".turbo", ".dart_tool", ".stack-work",
    ".zig-cache", "zig-cache",
})  # fmt: skip
# A folder that holds one of these says itself that it can be made again.
GENERATED_FOLDER_MARKERS = ("CACHEDIR.TAG", "pyvenv.cfg")

# Matched against the lower-case file name. Public keys and templates are no secrets.
_SECRET_NAMES = (
    ".env", ".env.*", "*.env", ".envrc", "*.pem", "*.key", "*.p12", "*.pfx", "*.jks", "*.keystore",
    "*.kdbx", "*.ppk", "id_rsa*", "id_dsa*", "id_ecdsa*", "id_ed25519*", "credentials", "credentials.json",
    ".netrc", "_netrc", ".npmrc", ".pypirc", ".htpasswd", ".pgpass", ".git-credentials", ".dockercfg",
    "*.tfstate", "*.tfstate.backup", "service-account*.json", "*.gpg", "*.asc.key", "*.kubeconfig",
    "kubeconfig", ".vault-token", "master.key",
)  # fmt: skip
_NOT_SECRET_ENDINGS = (".example", ".sample", ".template", ".dist", ".pub")

SYMLINK_RULE = "symbolic links are not followed"
_SPECIAL_KINDS = (
    (stat.S_ISFIFO, "named pipe"), (stat.S_ISSOCK, "socket"), (stat.S_ISCHR, "character device"),
    (stat.S_ISBLK, "block device"),
)  # fmt: skip
_BYTES_PER_KB = 1024


def special_rule(mode: int) -> str | None:
    """Return the rule that leaves out a file of this mode because it is not a regular one, or None."""
    if stat.S_ISREG(mode):
        return None
    return f"{next((kind for test, kind in _SPECIAL_KINDS if test(mode)), 'special file')}s are not read"


def too_large_rule(limit_bytes: int) -> str:
    """Return the rule that leaves out a file of more than `limit_bytes`."""
    return f"indexing.maxFileSizeKb = {limit_bytes / _BYTES_PER_KB:g}"


def _as_expression(glob: str) -> str:
    return ".*".join(re.escape(part) for part in glob.split("*"))


_SECRET = re.compile("|".join(f"(?P<g{i}>{_as_expression(glob)})" for i, glob in enumerate(_SECRET_NAMES)), re.DOTALL)
# What nearly every name is told by to be none: how those with a star in front end, and how the others begin.
_SECRET_ENDINGS = tuple(glob.rpartition("*")[2] for glob in _SECRET_NAMES if glob.startswith("*"))
_SECRET_STARTS = tuple(glob.partition("*")[0] for glob in _SECRET_NAMES if not glob.startswith("*"))


def secret_rule(name: str) -> str | None:
    """Return the rule that makes a file of this name a secret, or None."""
    lowered = name.lower()
    if not lowered.endswith(_SECRET_ENDINGS) and not lowered.startswith(_SECRET_STARTS):
        return None
    match = _SECRET.fullmatch(lowered)
    if match is None or lowered.endswith(_NOT_SECRET_ENDINGS):
        return None
    return f"built-in secret: {_SECRET_NAMES[int((match.lastgroup or 'g0')[1:])]}"


def generated_folder_rule(name: str) -> str | None:
    """Return the rule that makes a folder of this name one that tools fill, or None."""
    return f"built-in: {name}/" if name in GENERATED_FOLDERS else None


def forbidden_path_rule(path: str) -> str | None:
    """Return the rule that leaves out a '/'-separated path by its names alone, whatever the settings say, or None.

    Names of version control folders match in any case: on some systems `.GIT/config` is `.git/config`.
    """
    *folders, name = path.split("/")
    for folder in folders:
        if (lowered := folder.lower()) == GIT_NAME or lowered in VERSION_CONTROL_FOLDERS:
            return f"built-in: {lowered}/"
    if name.lower() == GIT_NAME:
        return f"built-in: {GIT_NAME}"
    return secret_rule(name)
