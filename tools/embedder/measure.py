"""Measure a table on the pairs of packages that were never trained on."""

import math
from collections import Counter, defaultdict

import numpy as np
from numpy.typing import NDArray
from pairs import Pair
from tokenizers import Tokenizer
from train import words_of

DEPTH = 10  # MRR@10
BM25_K1 = 1.2
BM25_B = 0.75
RRF_RANK_CONSTANT = 60
MOST_PER_PACKAGE = 1500  # candidates of one package, as many as a small repository has chunks


def evaluation_sets(pairs: list[Pair]) -> dict[tuple[str, str], list[Pair]]:
    """Group pairs by kind and package; the candidates of a query are the codes of its own group."""
    groups: dict[tuple[str, str], list[Pair]] = defaultdict(list)
    for pair in pairs:
        if len(groups[pair.kind, pair.package]) < MOST_PER_PACKAGE:
            groups[pair.kind, pair.package].append(pair)
    return {key: members for key, members in groups.items() if len(members) >= 30}


def static_scores(table: NDArray[np.float32], tokenizer: Tokenizer, pairs: list[Pair]) -> NDArray[np.float32]:
    """Return queries x codes cosines."""

    def embed(texts: list[str]) -> NDArray[np.float32]:
        rows = [
            table[e.ids].sum(axis=0) if e.ids else np.zeros(table.shape[1], dtype=np.float32)
            for e in tokenizer.encode_batch_fast(texts, add_special_tokens=False)
        ]
        matrix = np.array(rows, dtype=np.float32)
        return matrix / np.maximum(np.linalg.norm(matrix, axis=1, keepdims=True), 1e-9)

    return embed([pair.query for pair in pairs]) @ embed([pair.code for pair in pairs]).T


def bm25_scores(pairs: list[Pair]) -> NDArray[np.float32]:
    """Return queries x codes BM25 scores over split, lowercased words."""
    documents = [Counter(words_of(pair.code)) for pair in pairs]
    lengths = np.array([sum(document.values()) for document in documents], dtype=np.float32)
    postings: dict[str, list[tuple[int, int]]] = defaultdict(list)
    for index, document in enumerate(documents):
        for word, count in document.items():
            postings[word].append((index, count))
    length_part = BM25_K1 * (1 - BM25_B + BM25_B * lengths / lengths.mean())
    scores = np.zeros((len(pairs), len(pairs)), dtype=np.float32)
    for row, pair in enumerate(pairs):
        for word in set(words_of(pair.query)):
            for index, count in postings.get(word, ()):
                idf = math.log(1 + (len(pairs) - len(postings[word]) + 0.5) / (len(postings[word]) + 0.5))
                scores[row, index] += idf * count * (BM25_K1 + 1) / (count + length_part[index])
    return scores


def ranks(scores: NDArray[np.float32]) -> NDArray[np.int64]:
    """Return each query's rank of its own code, from 1; ties count against it."""
    own = np.diag(scores)[:, None]
    result: NDArray[np.int64] = (scores >= own).sum(axis=1)
    return result


def fused(first: NDArray[np.float32], second: NDArray[np.float32]) -> NDArray[np.float32]:
    """Return equal-weight reciprocal rank fusion of two score matrices."""

    def places(scores: NDArray[np.float32]) -> NDArray[np.int64]:
        return np.argsort(np.argsort(-scores, axis=1), axis=1) + 1

    result: NDArray[np.float32] = 1.0 / (RRF_RANK_CONSTANT + places(first)) + 1.0 / (RRF_RANK_CONSTANT + places(second))
    return result


def mrr(scores: NDArray[np.float32]) -> float:
    """Return MRR@10."""
    place = ranks(scores)
    return float(np.where(place <= DEPTH, 1.0 / place, 0.0).mean())


def report(tables: dict[str, tuple[NDArray[np.float32], Tokenizer]], pairs: list[Pair]) -> str:
    """Return a Markdown table of MRR@10 by kind and package: BM25, each table, and its fusion with BM25."""
    names = list(tables)
    head = ["pairs", "package", "queries", "BM25", *names, *(f"{name} + BM25" for name in names)]
    lines = ["| " + " | ".join(head) + " |", "|" + "---|" * len(head)]
    sums: dict[str, list[list[float]]] = defaultdict(list)
    for (kind, package), members in sorted(evaluation_sets(pairs).items()):
        keyword = bm25_scores(members)
        vectors = [static_scores(*tables[name], members) for name in names]
        row = [mrr(keyword), *map(mrr, vectors), *(mrr(fused(keyword, v)) for v in vectors)]
        sums[kind].append(row)
        lines.append(f"| {kind} | {package} | {len(members)} | " + " | ".join(f"{v:.3f}" for v in row) + " |")
    for kind, rows in sums.items():
        mean = np.mean(rows, axis=0)
        lines.append(f"| **{kind}** | mean of packages | | " + " | ".join(f"**{v:.3f}**" for v in mean) + " |")
    return "\n".join(lines)
