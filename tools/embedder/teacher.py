"""The teacher: all-MiniLM-L6-v2 (Apache-2.0) run with plain torch, and the static table distilled from it."""

import json
from pathlib import Path

import numpy as np
import torch
from numpy.typing import NDArray
from safetensors.torch import load_file
from tokenizers import Tokenizer
from torch import Tensor
from torch.nn import functional

HEADS = 12
LAYERS = 6
LAYER_NORM_EPSILON = 1e-12
SIF_SMOOTHING = 1e-3  # weight of a token of probability p is SIF_SMOOTHING / (SIF_SMOOTHING + p)


class MiniLm:
    """Sentence vectors of all-MiniLM-L6-v2 from the folder of its weights."""

    def __init__(self, folder: Path) -> None:
        self._weights = load_file(folder / "model.safetensors")
        layout = json.loads((folder / "tokenizer.json").read_text(encoding="utf-8"))
        layout["padding"] = layout["truncation"] = None
        self.tokenizer = Tokenizer.from_str(json.dumps(layout))
        self.vocabulary: dict[str, int] = layout["model"]["vocab"]

    def embed_ids(self, sequences: list[list[int]], batch: int = 512) -> NDArray[np.float32]:
        """Return one 384-d mean-pooled vector per id sequence ([CLS] and [SEP] included by the caller)."""
        order = sorted(range(len(sequences)), key=lambda index: len(sequences[index]))
        result = np.zeros((len(sequences), 384), dtype=np.float32)
        for start in range(0, len(order), batch):
            rows = order[start : start + batch]
            width = max(len(sequences[row]) for row in rows)
            ids = torch.zeros(len(rows), width, dtype=torch.long)
            mask = torch.zeros(len(rows), width)
            for position, row in enumerate(rows):
                ids[position, : len(sequences[row])] = torch.tensor(sequences[row])
                mask[position, : len(sequences[row])] = 1.0
            with torch.no_grad():
                result[rows] = self._forward(ids, mask).numpy()
        return result

    def _norm(self, x: Tensor, name: str) -> Tensor:
        weight, bias = self._weights[f"{name}.weight"], self._weights[f"{name}.bias"]
        return functional.layer_norm(x, (x.shape[-1],), weight, bias, LAYER_NORM_EPSILON)

    def _linear(self, x: Tensor, name: str) -> Tensor:
        return functional.linear(x, self._weights[f"{name}.weight"], self._weights[f"{name}.bias"])

    def _forward(self, ids: Tensor, mask: Tensor) -> Tensor:
        w = self._weights
        x = w["embeddings.word_embeddings.weight"][ids] + w["embeddings.token_type_embeddings.weight"][0]
        x = x + w["embeddings.position_embeddings.weight"][: ids.shape[1]]
        x = self._norm(x, "embeddings.LayerNorm")
        allowed = mask.bool()[:, None, None, :]
        for layer in range(LAYERS):
            name = f"encoder.layer.{layer}"
            heads = [
                self._linear(x, f"{name}.attention.self.{part}").unflatten(-1, (HEADS, -1)).transpose(1, 2)
                for part in ("query", "key", "value")
            ]
            mixed = functional.scaled_dot_product_attention(*heads, attn_mask=allowed).transpose(1, 2).flatten(2)
            x = self._norm(
                x + self._linear(mixed, f"{name}.attention.output.dense"),
                f"{name}.attention.output.LayerNorm",
            )
            inner = functional.gelu(self._linear(x, f"{name}.intermediate.dense"))
            x = self._norm(x + self._linear(inner, f"{name}.output.dense"), f"{name}.output.LayerNorm")
        return (x * mask[..., None]).sum(1) / mask.sum(1, keepdim=True)


def distill(
    teacher: MiniLm, tokens: list[str], counts: NDArray[np.int64] | None, dimension: int
) -> NDArray[np.float32]:
    """Make a static table: the teacher's vector of each token alone, PCA to `dimension`, SIF weighting.

    Args:
        tokens: the student's vocabulary in id order; "##x" continues a word.
        counts: how often each token stands in the corpus; None takes Zipf's law over the order of ids.
    """
    specials = {name: teacher.vocabulary[name] for name in ("[CLS]", "[SEP]")}
    sequences = []
    for token in tokens:
        known = teacher.vocabulary.get(token)
        inner = [known] if known is not None else teacher.tokenizer.encode(token, add_special_tokens=False).ids
        sequences.append([specials["[CLS]"], *inner, specials["[SEP]"]])
    vectors = teacher.embed_ids(sequences)
    vectors -= vectors.mean(axis=0)
    _, _, axes = np.linalg.svd(vectors[:: max(1, len(vectors) // 20000)], full_matrices=False)
    table = vectors @ axes[:dimension].T
    if counts is None:
        probability = 1.0 / (np.arange(len(tokens)) + 2.0)
        probability /= probability.sum()
    else:
        probability = (counts + 1.0) / (counts.sum() + len(counts))
    weight = SIF_SMOOTHING / (SIF_SMOOTHING + probability)
    result: NDArray[np.float32] = (table * weight[:, None]).astype(np.float32)
    return result
