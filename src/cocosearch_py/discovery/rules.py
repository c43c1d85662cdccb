"""Rules of our own: secret files, folders that are never source or that the ledger omits, kinds and sizes of files."""

import re
import stat

# Folders of version control systems hold history, not files of the project; the ledger does not know them.
VERSION_CONTROL_FOLDERS = frozenset({".hg", ".svn", ".jj", ".bzr"})
GIT_NAME = ".git"  # a folder, or a file in linked worktrees and submodules
_SHORT_GIT_NAME = re.compile(r"git~\d+")  # NTFS also finds `.git` by such a name
_MAY_BE_RESERVED = re.compile(r"(?:^|/)(?:\.|git~)|[^\0-\x7f]", re.IGNORECASE)  # spares most paths the closer look
# Characters that HFS+ ignores when it compares names.
_IGNORED_CHARACTERS = dict.fromkeys((*range(0x200C, 0x2010), *range(0x202A, 0x202F), *range(0x206A, 0x2070), 0xFEFF))

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


def plain_name(name: str) -> str:
    """Return the lower-case name that file systems of other kinds read: without trailing dots and the like."""
    stem, colon, _ = name.translate(_IGNORED_CHARACTERS).lower().partition(":")  # NTFS: the name of a stream follows
    return stem.rstrip(" .") if stem else colon


def is_git_name(name: str) -> bool:
    """Report whether some file system takes this name for `.git`."""
    plain = plain_name(name)
    return plain == GIT_NAME or _SHORT_GIT_NAME.fullmatch(plain) is not None


def reserved_path_rule(path: str) -> str | None:
    """Return the rule that reserves a '/'-separated path for a version control system or the system, or None."""
    if _MAY_BE_RESERVED.search(path) is None:
        return None
    *folders, name = path.split("/")
    if ".." in folders or name == "..":
        return "built-in: path outside the folder"
    if any(map(is_git_name, (*folders, name))):
        return f"built-in: {GIT_NAME}/"
    reserved = VERSION_CONTROL_FOLDERS.intersection(map(plain_name, folders))
    return f"built-in: {min(reserved)}/" if reserved else None


def forbidden_path_rule(path: str) -> str | None:
    """Return the rule that keeps a '/'-separated path out of every index, whatever settings say, or None."""
    return reserved_path_rule(path) or secret_rule(plain_name(path.rpartition("/")[2]))
