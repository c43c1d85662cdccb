"""`export` and `import`: from one data folder's index to another name, with what people are told."""

import hashlib
from pathlib import Path


def test_an_index_is_named_by_its_place_as_well(cli, shop, tmp_path):
    for words in (("export", "shop", "--format", "md"), ("members", "shop"), ("eval", "shop", "--cases", "1")):
        by_place = cli(*words, cwd=tmp_path).json
        by_flag = cli(words[0], "--index", *words[1:], cwd=tmp_path).json
        if words[0] != "eval":  # which also tells how long it took
            assert by_place == by_flag
    assert "both given as the index" in cli("members", "shop", "-n", "other", cwd=tmp_path, code=2).error["error"]
    assert cli("members", "gone", cwd=tmp_path, code=3).error["error_type"] == "not_indexed"


def test_export_and_import(cli, shop, tmp_path):
    target = tmp_path / "shop.zst"
    written = cli("export", "-o", target, cwd=shop).json
    assert (written["path"], written["bytes"]) == (str(target), target.stat().st_size)
    assert cli("export", "--verify", target, cwd=tmp_path).json["parts"] == written["parts"]
    made = cli("import", target, "--name", "imported", cwd=tmp_path).json
    assert made == {
        **{"success": True, "index_name": "imported", "root_path": None},
        **{"files": written["files"], "chunks": written["chunks"]},
    }
    found = cli("search", "total price", "--index", "imported", cwd=tmp_path).json
    assert any(item.get("file_path", "").startswith("detached:imported/") for item in found)
    told = cli("search", "total price", "--index", "imported", "--pretty", cwd=tmp_path).err
    assert "import the bundle again with --root DIR" in told and "index detached:" not in told
    assert cli("import", target, "--name", "imported", cwd=tmp_path, code=1).error["error_type"] == "index_collision"
    cli("clear", "imported", "--force", cwd=tmp_path)


def test_a_folder_gets_a_file_of_the_name(cli, shop, tmp_path):
    assert cli("export", "-o", tmp_path, cwd=shop).json["path"].endswith(".cocosearch.tar.zst")
    assert cli("export", "--pretty", "-o", tmp_path, cwd=shop).out


def test_what_is_no_bundle(cli, shop, tmp_path):
    (tmp_path / "x").write_text("x")
    assert cli("import", tmp_path / "x", cwd=tmp_path, code=2).error["error_type"] == "validation_error"
    assert cli("import", tmp_path / "y", cwd=tmp_path, code=1).error["error_type"] == "workspace_error"
    assert cli("export", "--verify", tmp_path / "x", cwd=tmp_path, code=2).error["hint"]


def test_other_forms_are_named_by_their_kind(cli, shop, tmp_path):
    told = cli("export", "--format", "jsonl", "--include", "chunks", "-o", tmp_path, cwd=shop).json
    assert told["path"].endswith("/shop.jsonl")
    assert hashlib.sha256(Path(told["path"]).read_bytes()).hexdigest() == told["sha256"]
    refused = cli("export", "--format", "pdf", cwd=shop, code=2).error
    assert "unknown format 'pdf'" in refused["error"] and "scip" in refused["hint"]
