"""An index whose embedding model is another one than before: said by a search, repaired by an index run."""

from dataclasses import replace
from pathlib import Path

import numpy as np
from tests.onnx_models import write_onnx_model

from cocosearch_py.app import App
from cocosearch_py.config.settings import EmbeddingSettings
from cocosearch_py.features.evaluate.service import ask_questions
from cocosearch_py.model.search import SearchRequest

ROWS = np.array([[0, 0, 0], [0, 0, 1], [1, 0, 0], [0, 1, 0]], dtype=np.float32)


def test_a_folder_with_an_onnx_model_embeds_an_index_and_other_weights_ask_for_a_new_one(
    app: App, data_folder: Path, tmp_path: Path
) -> None:
    project, model = tmp_path / "project", write_onnx_model(tmp_path / "tiny", ROWS)
    project.mkdir()
    (project / "a.py").write_text("# left left left left left\n")
    (project / "b.py").write_text("# right right right right right\n")
    app.index(project, name="both")
    settings = replace(app.settings, embedding=EmbeddingSettings(model=str(model)))
    with App(settings, data_folder) as other:
        for use_hybrid in (None, False):
            _, told = other.search(SearchRequest("left", use_hybrid=use_hybrid), index_name="both")
            assert [hit.file_path for hit in told.hits] == ["a.py"]
            assert told.words_only and "tiny@" in told.words_only and told.mode == "keyword"
            assert told.hits[0].vector_score is None
        _, evaluation = ask_questions(other, "both", classes=("names",), most=5)
        assert evaluation.outcomes is not None
        other.index(project, name="both")
        _, report = other.search(SearchRequest("right", use_hybrid=False), index_name="both")
        assert report.hits[0].file_path == "b.py"
        assert other.catalog.find("both").embedding_dimension == 3
    (model / "model.onnx").unlink()
    write_onnx_model(tmp_path / "again", ROWS[::-1].copy()).joinpath("model.onnx").rename(model / "model.onnx")
    with App(settings, data_folder) as changed:
        _, told = changed.search(SearchRequest("left"), index_name="both")
        assert told.words_only and "tiny@" in told.words_only
