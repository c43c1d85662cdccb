"""Lists the distributions that dependencies bring along: `python tools/docs/licences.py [--check]`.

The tables in docs/licences.md have the licence that the metadata of each installed distribution names. With --check it
writes nothing and exits 1 when they are out of date.
"""

import re
import sys
import tomllib
from collections.abc import Iterable, Mapping
from importlib.metadata import Distribution, PackageNotFoundError, distribution
from pathlib import Path

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

ROOT = Path(__file__).parents[2]
PAGE = ROOT / "docs" / "licences.md"
COMMAND = "python tools/docs/licences.py"
OPEN, CLOSE = f"<!-- made by `{COMMAND}` -->\n", "<!-- end of what is made -->"
# SPDX names of licences that metadata names in other ways.
SPDX = {
    "3-Clause BSD License": "BSD-3-Clause",
    "Apache 2.0": "Apache-2.0",
    "Apache Software License": "Apache-2.0",
    "BSD 2-Clause License": "BSD-2-Clause",
    "ISC License": "ISC",
    "MIT License": "MIT",
    "Mozilla Public License 2.0 (MPL 2.0)": "MPL-2.0",
}
WITHOUT_METADATA = {"py-rust-stemmers": "MIT"}  # according to the licence file in the distribution
ELSEWHERE = {"colorama": "BSD-3-Clause", "pywin32": "PSF-2.0", "win32-setctime": "MIT"}  # on Windows only
MOST_CHARS = 40  # of a licence's name; longer ones are its text


def declared() -> tuple[list[str], list[str]]:
    """Requirements of users, and the further ones of developers."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    return project["dependencies"], project["optional-dependencies"]["dev"]


def brought_along(requirements: Iterable[str]) -> dict[str, Distribution]:
    """All installed distributions that these need, without themselves, by canonical name."""
    waiting = [one for one in map(Requirement, requirements) if one.marker is None or one.marker.evaluate()]
    direct = {canonicalize_name(one.name) for one in waiting}
    seen: set[tuple[str, str]] = set()
    found: dict[str, Distribution] = {}
    while waiting:
        one = waiting.pop()
        name = canonicalize_name(one.name)
        for extra in ("", *one.extras):
            if (name, extra) in seen:
                continue
            seen.add((name, extra))
            try:
                found[name] = distribution(one.name)
            except PackageNotFoundError:  # of another system
                continue
            needed = map(Requirement, found[name].requires or ())
            waiting += [each for each in needed if each.marker is None or each.marker.evaluate({"extra": extra})]
    return {name: one for name, one in found.items() if name not in direct}


def licence_of(one: Distribution) -> str:
    """The licence that a distribution names, as an SPDX expression where it is one."""
    told = one.metadata.get("License-Expression") or one.metadata.get("License") or ""
    if not told or len(told) > MOST_CHARS or "\n" in told:
        classifiers = [text for text in one.metadata.get_all("Classifier") or () if text.startswith("License ::")]
        told = " and ".join(text.rpartition(" :: ")[2] for text in classifiers)
    return SPDX.get(told, told) or WITHOUT_METADATA[canonicalize_name(one.name)]


def tables() -> tuple[Mapping[str, str], Mapping[str, str]]:
    """Licences of what users get besides the direct dependencies, and of what only developers get, by name."""
    of_users, of_developers = declared()
    users = brought_along(of_users)
    every = brought_along([*of_users, *of_developers])
    return (
        {one.name: licence_of(one) for one in users.values()} | ELSEWHERE,
        {one.name: licence_of(one) for name, one in every.items() if name not in users},
    )


def with_tables(page: str) -> str:
    """The page with both tables between its marks."""
    before, rest = page.split(OPEN)
    _, after = rest.split(CLOSE)
    made = []
    for title, licences in zip(("For users", "For developers only"), tables(), strict=True):
        rows = [f"| `{name}` | {licences[name]} |" for name in sorted(licences, key=str.lower)]
        made += [f"### {title}", "", "| package | licence |", "|---|---|", *rows, ""]
    return before + OPEN + "\n" + "\n".join(made) + "\n" + CLOSE + after


def listed(page: str) -> dict[str, str]:
    """Licence of each distribution in the tables, by name."""
    return dict(re.findall(r"^\| `([^`]+)` \| ([^|]+) \|$", page, re.MULTILINE))


def main() -> int:
    page = PAGE.read_text(encoding="utf-8")
    made = with_tables(page)
    if "--check" not in sys.argv[1:]:
        PAGE.write_text(made, encoding="utf-8")
    elif made != page:
        print(f"{PAGE.name} is out of date: run `{COMMAND}`", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
