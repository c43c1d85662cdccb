"""Tiny ONNX embedding models, encoded by hand: no package that writes ONNX is needed."""

import json
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from tokenizers import Tokenizer, models, pre_tokenizers

VOCABULARY = {"[PAD]": 0, "[UNK]": 1, "left": 2, "right": 3}
FLOATS, INTEGERS = 1, 7  # ONNX's numbers of the element types
INT, INTS = 2, 7  # ONNX's numbers of the attribute types


def write_onnx_model(folder: Path, rows: NDArray[np.float32], *, pooled: bool = False) -> Path:
    """Write a model whose token vectors are the rows of a matrix, with a two-word tokenizer.

    `pooled` models give the mean of a text's token vectors, as one row per text.
    """
    folder.mkdir(parents=True)
    (folder / "model.onnx").write_bytes(_model(rows, pooled=pooled))
    tokenizer = Tokenizer(models.WordLevel(VOCABULARY, unk_token="[UNK]"))
    tokenizer.pre_tokenizer = pre_tokenizers.Whitespace()
    tokenizer.save(str(folder / "tokenizer.json"))
    write_json(folder / "tokenizer_config.json", {"model_max_length": 16, "pad_token": "[PAD]"})
    write_json(folder / "config.json", {"pad_token_id": 0})  # older versions of fastembed ask for these two
    write_json(folder / "special_tokens_map.json", {"pad_token": "[PAD]", "unk_token": "[UNK]"})
    return folder


def write_json(path: Path, content: object) -> None:
    path.parent.mkdir(exist_ok=True)
    path.write_text(json.dumps(content), encoding="utf-8")


def _model(rows: NDArray[np.float32], *, pooled: bool) -> bytes:
    tensor = _field(1, rows.shape[0]) + _field(1, rows.shape[1]) + _field(2, FLOATS) + _field(8, b"rows")
    nodes = _field(1, _node(b"Gather", [b"rows", b"input_ids"], b"token_embeddings"))
    output, shape = b"token_embeddings", [b"batch", b"length", b"width"]
    if pooled:
        axes = _field(5, _field(1, b"axes") + _field(8, 1) + _field(20, INTS))
        keep = _field(5, _field(1, b"keepdims") + _field(3, 0) + _field(20, INT))
        output, shape = b"sentence_embedding", [b"batch", b"width"]
        nodes += _field(1, _node(b"ReduceMean", [b"token_embeddings"], output) + axes + keep)
    graph = (
        nodes
        + _field(2, b"tiny")
        + _field(5, tensor + _field(9, rows.astype("<f4").tobytes()))
        + _field(11, _value_info(b"input_ids", INTEGERS, [b"batch", b"length"]))
        + _field(11, _value_info(b"attention_mask", INTEGERS, [b"batch", b"length"]))
        + _field(12, _value_info(output, FLOATS, shape))
    )
    return _field(1, 8) + _field(7, graph) + _field(8, _field(1, b"") + _field(2, 13))


def _node(kind: bytes, inputs: list[bytes], output: bytes) -> bytes:
    return b"".join(_field(1, name) for name in inputs) + _field(2, output) + _field(4, kind)


def _value_info(name: bytes, kind: int, shape: list[bytes]) -> bytes:
    dimensions = b"".join(_field(1, _field(2, side)) for side in shape)
    return _field(1, name) + _field(2, _field(1, _field(1, kind) + _field(2, dimensions)))


def _field(number: int, value: int | bytes) -> bytes:
    """Encode one protobuf field: a number as varint, bytes with their length."""

    def varint(rest: int) -> bytes:
        out = b""
        while rest > 127:
            out += bytes([rest & 127 | 128])
            rest >>= 7
        return out + bytes([rest])

    if isinstance(value, int):
        return varint(number << 3) + varint(value)
    return varint(number << 3 | 2) + varint(len(value)) + value
