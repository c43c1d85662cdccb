"""What shapes a run, as a user meets it."""

import threading

from tests.embedding_service import Service, ollama


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


def test_features_languages_and_a_profile(cli, sample_repo):
    name = ("-n", "shaped", "--index", "shaped")
    done = cli("index", sample_repo, *name[:2], "--without", "graph", "--without", "vector", "--lang", "python").json
    assert done["stats"]["files_added"] == 3
    assert "has no graph data" in cli("refs", "Money", *name[2:], code=1).error["error"]
    assert "has no graph data" in cli("ask", "who calls Money?", *name[2:], code=1).error["error"]
    assert cli("ask", "where is Money defined?", *name[2:]).json["evidence"]
    audited = cli("audit", "--include", "dead-code", *name[2:]).json
    assert not any(one["rule"] == "dead-code" for one in audited["findings"])
    assert ["dead-code", "all files"] in [[one["part"], one["what"]] for one in audited["not_checked"]]
    assert "no vectors" in cli("--pretty", "search", "apply discount", *name[2:]).err
    assert cli("index", sample_repo, *name[:2], "--profile", "fast").json["success"]
    assert "known: fast" in cli("index", sample_repo, "--profile", "slow", code=2).error["hint"]
    assert cli("index", sample_repo, "--mode", "estimate", *name[:2]).json["dry_run"] is True
    cli("clear", "shaped", "--force")


def test_files_that_the_model_is_late_with_are_told_and_tried_again(cli, tmp_path):
    over, late = threading.Event(), [True]

    def answer(body):
        if late and any("slow" in text for text in body["input"]):
            over.wait(60)
        return ollama(body)

    project = tmp_path / "late"
    project.mkdir()
    (project / "quick.py").write_text("quick = 1\n")
    (project / "tardy.py").write_text("slow = 1\n")
    with Service() as service:
        service.answer = answer
        env = {
            "COCOSEARCH_EMBEDDING_PROVIDER": "ollama",
            "COCOSEARCH_EMBEDDING_MODEL": "m",
            "COCOSEARCH_EMBEDDING_BASE_URL": service.url,
        }
        done = cli("index", project, "--embed-timeout", "1.5", env=env).json
        assert (done["success"], done["timeout_files"]) == (True, ["tardy.py"])
        late.clear()
        again = cli("index", project, "--only-failed", env=env).json
        assert (again["timeout_files"], again["stats"]["files_updated"]) == ([], 1)
        over.set()
    error = cli("index", tmp_path, "-n", "absent", "--only-failed", code=3).error
    assert "no index 'absent'" in error["error"]
    assert "cannot be combined" in cli("index", project, "--only-failed", "--fresh", code=2).error["error"]


def test_only_the_most_central_files_are_embedded(cli, sample_repo):
    done = cli("index", sample_repo, "-n", "few", "--max-files-to-embed", "1").json
    assert "5 of 6 files have no vectors" in done["warnings"][0]
    cli("clear", "few", "--force")


def test_the_folders_of_a_list_and_their_own_configuration(cli, tmp_path):
    for name in ("one", "two"):
        (tmp_path / "lists" / name / "gen").mkdir(parents=True)
        for file in ("a.py", "gen/b.py"):
            (tmp_path / "lists" / name / file).write_text(f"{name} = 1\n")
    (tmp_path / "lists/one/cocosearch.yaml").write_text("indexName: listed_one\nindexing:\n  excludePatterns: [gen/]\n")
    listed = tmp_path / "lists" / "all.txt"
    listed.write_text("# ours\n\none\n./two\nnone\n")
    answer = cli("index", "--paths-from", listed, code=1).json
    one, two, none = answer["results"]
    assert (one["index_name"], one["stats"]["files_added"]) == ("listed_one", 2)
    assert (two["index_name"], two["stats"]["files_added"]) == ("two", 2)
    assert (none["success"], "does not exist" in none["message"]) == (False, True)
    shown = cli("--pretty", "index", "--paths-from", listed, code=1)
    assert "none" in shown.err
    assert "cannot be read" in cli("index", "--paths-from", tmp_path / "absent", code=2).error["error"]


def test_several_folders_are_named_on_the_command_line_or_on_standard_input(cli, tmp_path):
    folders = [tmp_path / name for name in ("several_a", "several_b", "several_c")]
    for folder in folders:
        folder.mkdir()
        (folder / "a.py").write_text("one = 1\n")
    a, b, c = folders
    (b / "cocosearch.yaml").write_text("indexName: several_named\n")
    answer = cli("index", "several_a", b, tmp_path / "none", code=1, cwd=tmp_path).json
    assert [(one["success"], one["path"]) for one in answer["results"]] == [
        *((True, str(folder)) for folder in (a, b)),
        (False, str(tmp_path / "none")),
    ]
    assert answer["results"][1]["index_name"] == "several_named"
    listed = cli("index", "--paths-from", "-", stdin="several_b\n# ours\n\nseveral_c\n", cwd=tmp_path).json["results"]
    assert [one["stats"]["files_added"] for one in listed] == [0, 1]
    both = cli("index", a, "--paths-from", "-", "--dry-run", stdin=f"{c}\n{a}\n").json["results"]
    assert [(one["path"], one["stats"]["files_unchanged"]) for one in both] == [(str(a), 1), (str(c), 1)]
    assert "no folder given" in cli("index", "--paths-from", "-", code=2).error["error"]
    (tmp_path / " blanks\nand lines").mkdir()
    found = cli("index", "--paths-from", "-", "--dry-run", stdin="several_b\0 blanks\nand lines\0", cwd=tmp_path).json
    assert [one["path"] for one in found["results"]] == [str(b), str(tmp_path / " blanks\nand lines")]
    shown = cli("--pretty", "index", a, b)
    assert [line.split(";")[0] for line in shown.out.splitlines()[1::2]] == ["1 unchanged", "2 unchanged"]
    done = cli("index", a, b, "--detach").json["results"]
    assert all("job_id" in one for one in done)


def test_a_folder_that_is_named_in_several_ways_is_indexed_once(cli, tmp_path):
    (tmp_path / "once").mkdir()
    (tmp_path / "once/a.py").write_text("one = 1\n")
    (tmp_path / "link").symlink_to("once")
    done = cli("index", "once", "once/", "./link", "--paths-from", "-", stdin="once/../once\n", cwd=tmp_path)
    assert [(one["path"], one["stats"]["files_added"]) for one in done.json["results"]] == [(str(tmp_path / "once"), 1)]
    again = ("once/", "./link", tmp_path / "once/../once")
    assert done.err.splitlines()[:3] == [f"{name} is the same folder as once; it is indexed once" for name in again]


def test_what_makes_no_sense_for_several_folders_is_refused(cli, tmp_path):
    error = cli("index", tmp_path, tmp_path.parent, "--name", "x", code=2).error
    assert "cannot have one" in error["error"]
    assert "--name NAME" in error["hint"]
    for words in (("index", "a", "b", "--watch"), ("watch", "a", "b"), ("index", "--watch", "--paths-from", "-")):
        assert "can watch only one folder" in cli(*words, code=2).error["error"]


def test_only_a_member_with_its_own_configuration(cli, tmp_path):
    root = tmp_path / "monorepo"
    for name in ("a", "b"):
        (root / "packages" / name / "gen").mkdir(parents=True)
        (root / "packages" / name / "package.json").write_text(f'{{"name": "@x/{name}"}}')
        (root / "packages" / name / "gen/made.js").write_text("export const made = 1\n")
    (root / "package.json").write_text('{"workspaces": ["packages/*"]}')
    (root / "packages/a/cocosearch.yaml").write_text("indexing:\n  excludePatterns: [gen/]\n")
    whole = cli("index", root, "-n", "monorepo", "--no-workspace").json["stats"]["files_added"]
    assert whole == 6
    assert cli("index", root, "-n", "monorepo", "--member", "@x/a").json["stats"]["files_removed"] == 4
    assert cli("index", root, "-n", "monorepo", "--member", "@x/a,@x/b").json["stats"]["files_added"] == 2
    error = cli("index", root, "--member", "@x/c", code=1).error
    assert "no member '@x/c'" in error["error"]
