"""`index --dry-run` as a user meets it."""

from cocosearch_py.discovery.extent import MANY_BUILT_FILES


def test_a_dry_run_tells_what_a_run_would_do_and_does_nothing(cli, sample_repo, database_url):
    env = {"COCOSEARCH_DATABASE_URL": database_url}
    (sample_repo / ".gitignore").write_text("*.log\n")
    (sample_repo / "a.log").write_text("x\n")
    told = cli("index", sample_repo, "--dry-run", env=env).json
    assert told["dry_run"] is True
    assert told["index_exists"] is False
    assert told["stats"]["files_added"] == 7
    assert told["not_indexed"] == {"ignored": 1}
    assert told["rules"] == [{"reason": "ignored", "rule": ".gitignore:1: *.log", "files": 1}]
    assert told["estimate"]["storage_size"] > told["estimate"]["source_bytes"] > 0
    assert {key: told["folders"][0][key] for key in ("folder", "files")} == {"folder": "shop/", "files": 3}
    assert cli("list", env=env).json == []
    done = cli("index", sample_repo, env=env).json
    assert {name: done["stats"][name] for name in told["stats"]} == told["stats"]
    (sample_repo / "docs/guide.md").unlink()
    again = cli("index", "--dry-run", "--exclude", "web/", sample_repo, env=env).json
    assert again["index_exists"] is True
    assert again["stats"]["files_removed"] == 2
    assert again["not_indexed"] == {"excluded": 1, "ignored": 1}


def test_a_dry_run_for_people(cli, sample_repo, database_url):
    for number in range(MANY_BUILT_FILES):
        (sample_repo / "app/out/deep").mkdir(parents=True, exist_ok=True)
        (sample_repo / f"app/out/deep/{number}.txt").write_text(f"{number}\n")
    shown = cli("--pretty", "index", "--dry-run", sample_repo, env={"COCOSEARCH_DATABASE_URL": database_url})
    assert "1,006 added" in shown.out
    assert "about" in shown.out
    assert "nothing was written" in shown.out
    assert "app/out/ is named like a folder of generated files, with 1,000 of 1,006 files" in shown.err
    assert "--exclude '/app/out/'" in shown.err


def test_a_dry_run_asks_nothing_and_starts_no_database(cli, sample_repo, tmp_path):
    env = {"COCOSEARCH_DATA_DIR": str(tmp_path / "data"), "HOME": str(sample_repo.parent)}
    told = cli("index", "--dry-run", sample_repo.parent, env=env)
    assert told.json["needs_confirmation"] is True
    assert "--yes" in told.err
    assert f"{sample_repo.parent} is / or a drive, a home folder, or the parent of one: checking all files" in told.err
    assert not (tmp_path / "data" / "postgres-18").exists()


def test_files_in_ignored_folders_do_not_count_as_skipped(cli, sample_repo, database_url):
    at = ("--database-url", database_url)
    (sample_repo / ".gitignore").write_text("*.log\nmade/\n")
    (sample_repo / "a.log").write_text("x\n")
    (sample_repo / "made").mkdir()
    for name in ("b.py", "c.py"):
        (sample_repo / "made" / name).write_text("x = 1\n")
    stats = cli("index", sample_repo, "--dry-run", *at).json["stats"]
    assert (stats["files_skipped"], stats["files_in_skipped_folders"]) == (3, 2)
    assert "1 skipped, 1 folder ignored" in cli("index", sample_repo, "--dry-run", "--pretty", *at).out
    assert "1 skipped, 1 folder ignored" in cli("index", sample_repo, "--pretty", *at).out
    assert cli("index", sample_repo, *at).json["stats"]["files_in_skipped_folders"] == 2


def test_a_dry_run_of_a_wide_folder_remarks_beside_json_and_text(cli, sample_repo, database_url):
    env = {"HOME": str(sample_repo), "COCOSEARCH_DATABASE_URL": database_url}
    for form in ("--json", "--pretty"):
        assert cli("index", sample_repo, "--dry-run", form, env=env).err.count("`index --yes` confirms") == 1
