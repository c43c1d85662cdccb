"""Definitions of a SCIP export beside those of scip-typescript, both decoded by the latter's own bindings.

    npm install --prefix FOLDER @sourcegraph/scip-typescript
    python benchmarks/scip.py --npm FOLDER --index NAME [--json FILE]

The index NAME is of a checkout with TypeScript or JavaScript, at its `root_path`. A definition agrees when file, line
and columns of the name are equal. Left out of theirs: locals, parameters, type parameters, keys of literals, members of
unnamed types, files that are not ours, and what stands for a file itself. Uses are not compared: we export none.
"""

import argparse
import json
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

DECODE = """
const { scip } = require(process.argv[1] + '/node_modules/@sourcegraph/scip-typescript/dist/src/scip.js');
const index = scip.Index.deserializeBinary(require('fs').readFileSync(process.argv[2]));
for (const document of index.documents)
  for (const one of document.occurrences)
    if (one.symbol_roles & 1)
      console.log(JSON.stringify([document.relative_path, one.range, one.symbol]));
"""
TSCONFIG = {  # a repository's own often extends packages that are not installed
    "compilerOptions": {"target": "es2022", "module": "esnext", "moduleResolution": "bundler", "jsx": "preserve"},
    "include": ["**/*"],
    "exclude": ["**/node_modules"],
}
Place = tuple[str, int, int, int]


def decode(npm: Path, file: Path) -> dict[Place, str]:
    """Place of the name (path; line and columns from 0) -> symbol, of all definitions."""
    done = subprocess.run(
        ["node", "-e", DECODE, str(npm.resolve()), str(file)], capture_output=True, text=True, check=True
    )
    found = {}
    for line in done.stdout.splitlines():
        path, places, symbol = json.loads(line)
        if len(places) == 3:
            found[path, *places] = symbol
    return found


def theirs(npm: Path, root: Path) -> dict[Place, str]:
    with tempfile.TemporaryDirectory() as folder:
        copy = Path(folder, "tree")
        shutil.copytree(root, copy, symlinks=True, ignore=shutil.ignore_patterns(".git"))
        program = npm.resolve() / "node_modules/.bin/scip-typescript"
        out = Path(folder, "index.scip")
        Path(copy, "tsconfig.json").write_text(json.dumps(TSCONFIG))
        command = [program, "index", "--output", out]
        subprocess.run(command, cwd=copy, check=True, stdout=subprocess.DEVNULL)
        return decode(npm, out)


def ours(npm: Path, index: str) -> tuple[Path, dict[Place, str]]:
    with tempfile.TemporaryDirectory() as folder:
        program = [sys.executable, "-m", "cocosearch_py"]
        out = Path(folder, "index.scip")
        command = [*program, "export", "--index", index, "--format", "scip", "-o", str(out)]
        subprocess.run(command, check=True, capture_output=True)
        stats = subprocess.run([*program, "stats", index, "--json"], check=True, capture_output=True, text=True)
        told = json.loads(stats.stdout)
        return Path(told["root_path"]), decode(npm, out)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--npm", type=Path, required=True)
    parser.add_argument("--index", required=True)
    parser.add_argument("--json", type=Path)
    asked = parser.parse_args()
    root, mine = ours(asked.npm, asked.index)
    peer = theirs(asked.npm, root)
    files = {place[0] for place in peer} & {place[0] for place in mine}
    kept = {
        place
        for place, symbol in peer.items()
        if place[0] in files
        and not symbol.startswith("local ")
        and symbol[-1] not in ")]:"
        and "typeLiteral" not in symbol
        and place[3] > place[2]
    }
    mine_there = {place for place in mine if place[0] in files}
    every = {place for place in peer if place[0] in files}
    result = {
        "index": asked.index,
        "files": len(files),
        "theirs": len(kept),
        "ours": len(mine_there),
        "theirs_that_we_have": round(len(kept & mine_there) / max(1, len(kept)), 4),
        "ours_that_they_have": round(len(mine_there & every) / max(1, len(mine_there)), 4),
    }
    print(json.dumps(result))
    for name, places in (("only theirs", kept - mine_there), ("only ours", mine_there - every)):
        for place in sorted(places)[:8]:
            print(name, place, peer.get(place) or mine.get(place), file=sys.stderr)
    if asked.json:
        asked.json.write_text(json.dumps(result, indent=1) + "\n")


if __name__ == "__main__":
    main()
