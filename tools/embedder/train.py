"""Contrastive tuning of the static table: InfoNCE over pairs of question-like text and code."""

import logging
import random
import re
import time
from collections import defaultdict
from collections.abc import Iterator

import numpy as np
import torch
from numpy.typing import NDArray
from pairs import Pair
from tokenizers import Tokenizer
from torch import Tensor, nn
from torch.nn import functional

log = logging.getLogger(__name__)

BATCH_PAIRS = 512
GROUPS_PER_BATCH = 4  # a batch holds this many packages: the other code of the same package is the hard negative
LEARNING_RATE = 3e-3
TEMPERATURE = 0.05
QUERY_TOKENS = 48
CODE_TOKENS = 320  # about the tokens of the longest chunk the product makes
PATH_CHANCE = 0.8  # of code that starts with its path, as the product's chunks do
TEMPLATE_CHANCE = 0.3  # of queries worded as a question
SLICE_TEXTS = 5000
TOKEN_DROP = 0.1  # of a query's tokens, so that no single word decides
KIND_SHARE = {"doc": 1.0, "name": 0.5, "path": 0.7}  # part of the pairs of each kind seen per epoch

TEMPLATES = (
    "how does {} work", "where is {} implemented", "how is {} handled", "{} implementation",
    "where does it {}",
    "how to {}", "what is responsible for {}", "code that {}", "how {} is done", "which class does {}",
)  # fmt: skip

Ids = NDArray[np.int32]


class Corpus:
    """Tokenized pairs, grouped by package."""

    def __init__(self, pairs: list[Pair], tokenizer: Tokenizer) -> None:
        def encode(texts: list[str], most: int) -> list[Ids]:
            rows: list[Ids] = []
            for start in range(0, len(texts), SLICE_TEXTS):  # encodings are large, so few live at a time
                part = texts[start : start + SLICE_TEXTS]
                for encoding in tokenizer.encode_batch_fast(part, add_special_tokens=False):
                    ids = np.array(encoding.ids, dtype=np.int32)
                    rows.append(ids[ids != 0][:most])
            return rows

        self.queries = encode([pair.query for pair in pairs], QUERY_TOKENS)
        self.codes = encode([pair.code for pair in pairs], CODE_TOKENS)
        self.paths = encode([pair.path for pair in pairs], QUERY_TOKENS)
        self.kinds = [pair.kind for pair in pairs]
        self.groups: dict[str, list[int]] = defaultdict(list)
        for index, pair in enumerate(pairs):
            if len(self.queries[index]) and len(self.codes[index]):
                self.groups[pair.package].append(index)
        self.templates = [tuple(encode(list(template.split("{}")), QUERY_TOKENS)) for template in TEMPLATES]

    def batches(self, chance: random.Random) -> Iterator[list[int]]:
        """Yield one epoch of batches; each takes its pairs from a few packages."""
        blocks: list[list[int]] = []
        size = BATCH_PAIRS // GROUPS_PER_BATCH
        for members in self.groups.values():
            chosen = [index for index in members if chance.random() < KIND_SHARE[self.kinds[index]]]
            chance.shuffle(chosen)
            blocks.extend(chosen[start : start + size] for start in range(0, len(chosen) - size + 1, size))
        chance.shuffle(blocks)
        for start in range(0, len(blocks) - GROUPS_PER_BATCH + 1, GROUPS_PER_BATCH):
            yield [index for block in blocks[start : start + GROUPS_PER_BATCH] for index in block]

    def query_ids(self, index: int, chance: random.Random) -> Ids:
        """Return one query's tokens, sometimes worded as a question, some of them dropped."""
        ids = self.queries[index]
        if len(ids) > 4:
            kept = ids[np.array([chance.random() >= TOKEN_DROP for _ in ids])]
            ids = kept if len(kept) else ids
        if chance.random() < TEMPLATE_CHANCE:
            before, after = chance.choice(self.templates)
            return np.concatenate([before, ids, after])
        return ids

    def code_ids(self, index: int, chance: random.Random) -> Ids:
        """Return one code's tokens, sometimes after those of its path."""
        if chance.random() < PATH_CHANCE:
            return np.concatenate([self.paths[index], self.codes[index]])
        return self.codes[index]


class Student(nn.Module):
    """The table as an EmbeddingBag; a token's weight is part of its row."""

    def __init__(self, table: NDArray[np.float32]) -> None:
        super().__init__()
        self.bag = nn.EmbeddingBag.from_pretrained(torch.from_numpy(table), freeze=False, mode="sum", sparse=True)

    def forward(self, sequences: list[Ids]) -> Tensor:
        """Return one unit vector per token sequence."""
        lengths = np.array([len(ids) for ids in sequences])
        offsets = torch.from_numpy(np.concatenate([[0], np.cumsum(lengths)[:-1]]))
        flat = torch.from_numpy(np.concatenate(sequences).astype(np.int64))
        return functional.normalize(self.bag(flat, offsets), dim=1)


def tune(table: NDArray[np.float32], corpus: Corpus, *, epochs: int, seed: int) -> NDArray[np.float32]:
    """Return the table after `epochs`, the learning rate falling to zero; the unknown token's row stays zero."""
    torch.manual_seed(seed)
    chance = random.Random(seed)
    scale = float(np.linalg.norm(table[1:], axis=1).mean())
    student = Student((table / scale).astype(np.float32))
    optimizer = torch.optim.SparseAdam(list(student.parameters()), lr=LEARNING_RATE)
    steps = max(1, epochs * sum(1 for _ in corpus.batches(random.Random(seed))))
    labels = torch.arange(BATCH_PAIRS)
    began, done, losses = time.monotonic(), 0, []
    for epoch in range(epochs):
        for batch in corpus.batches(chance):
            for group in optimizer.param_groups:
                group["lr"] = LEARNING_RATE * max(0.0, 1.0 - done / steps)
            codes = student([corpus.code_ids(index, chance) for index in batch])
            queries = student([corpus.query_ids(index, chance) for index in batch])
            scores = queries @ codes.T / TEMPERATURE
            loss = (functional.cross_entropy(scores, labels) + functional.cross_entropy(scores.T, labels)) / 2
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            done += 1
            losses.append(loss.item())
            if done % 100 == 0:
                mean = sum(losses[-100:]) / 100
                log.info("epoch %d step %d/%d loss %.3f %.0f s", epoch, done, steps, mean, time.monotonic() - began)
    result: NDArray[np.float32] = student.bag.weight.detach().numpy().copy()
    result[0] = 0.0
    return result


def words_of(text: str) -> list[str]:
    """Split a text as the tokenizer does, for BM25."""
    return [word.lower() for word in re.findall(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|[0-9]+", text)]
