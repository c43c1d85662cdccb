"""What shapes a run, as a user meets it."""


def test_files_are_cut_by_tokens(cli, tmp_path):
    project = tmp_path / "tokens"
    project.mkdir()
    (project / "a.py").write_text("".join(f"value_{number} = {number}\n" for number in range(200)))
    env = {"COCOSEARCH_INDEXING_TOKEN_CHUNK_SIZE": "100", "COCOSEARCH_INDEXING_TOKEN_CHUNK_OVERLAP": "50"}
    fine = cli("index", project, "--strategy", "tokens", env=env).json["stats"]["chunks"]
    env["COCOSEARCH_INDEXING_TOKEN_CHUNK_OVERLAP"] = "0"
    coarse = cli("index", project, "--strategy", "tokens", env=env).json["stats"]["chunks"]
    assert fine > coarse > cli("index", project, "--strategy", "tokens").json["stats"]["chunks"] > 1
    found = cli("grep", "value_150", "--index", "tokens").json
    assert [match["line"] for match in found["matches"]] == [151]


def test_sizes_of_tokens_that_cannot_be(cli, tmp_path):
    for name, value, told in (
        ("SIZE", "99", "at least 100, at most 10000"),
        ("SIZE", "10001", "at least 100, at most 10000"),
        ("OVERLAP", "251", "at most half of indexing.tokenChunkSize, which is 500"),
    ):
        error = cli("index", tmp_path, env={f"COCOSEARCH_INDEXING_TOKEN_CHUNK_{name}": value}, code=2).error
        assert told in error["error"], error
        assert error["error_type"] == "configuration_error"
