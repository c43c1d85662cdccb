"""`members`: the projects of a folder, with what the index has of each."""

import subprocess


def test_members_with_their_files(cli, tmp_path):
    for name, text in {
        "package.json": '{"workspaces": ["packages/*"]}',
        "packages/a/package.json": '{"name": "@x/a"}',
        "packages/a/src/one.ts": "export const one = 1;\n",
        "packages/a/src/two.ts": "export const two = 2;\n",
        "packages/b/package.json": '{"name": "b"}',
        "go.work": "use ./packages/a\n",
        "packages/a/go.mod": "module a\n",
        "other.py": "x = 1\n",
    }.items():
        (tmp_path / "mono" / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / "mono" / name).write_text(text)
    cli("index", cwd=tmp_path / "mono")
    answer = cli("members", cwd=tmp_path / "mono").json
    assert answer["workspace_type"] == "npm"
    first, second = answer["members"]
    assert (first["name"], first["path"], first["files"], first["languages"][0]) == (
        "@x/a",
        "packages/a",
        4,
        "typescript",
    )
    assert (second["name"], second["path"], second["files"]) == ("b", "packages/b", 1)
    assert answer["warnings"] == ["the folder is also the root of other workspaces: go"]
    people = cli("--pretty", "members", cwd=tmp_path / "mono")
    assert people.out.splitlines()[0].split() == ["member", "folder", "files", "languages"]
    assert "npm: 2 members" in people.err


def test_a_folder_without_a_workspace_is_its_own_member(cli, tmp_path):
    (tmp_path / "alone").mkdir()
    (tmp_path / "alone" / "x.py").write_text("x = 1\n")
    cli("index", cwd=tmp_path / "alone")
    answer = cli("members", cwd=tmp_path / "alone").json
    assert answer["workspace_type"] == "single"
    assert answer["members"] == [{"name": "alone", "path": ".", "files": 1, "languages": ["python"]}]
    (tmp_path / "alone" / "package.json").symlink_to("/etc/passwd")
    assert cli("members", cwd=tmp_path / "alone").json["workspace_type"] == "single"


def test_an_index_of_some_members_knows_of_the_workspace_that_it_leaves_out(cli, tmp_path):
    top = tmp_path / "parts"
    for name, text in {
        "all.code-workspace": '{"folders": [{"path": "front"}, {"path": "back"}, {"path": "docs"}]}',
        "front/a.ts": "export const a = 1;\n",
        "back/b.py": "b = 1\n",
        "docs/c.md": "# c\n",
    }.items():
        (top / name).parent.mkdir(parents=True, exist_ok=True)
        (top / name).write_text(text)
    chosen = ("--member", "front", "--member", "back")
    cli("index", *chosen, cwd=top)
    git = ("git", "-c", "user.name=a", "-c", "user.email=a@b")
    for words in (("init", "-q"), ("add", "-A"), ("commit", "-qm", "one"), ("tag", "first")):
        subprocess.run([*git, *words], cwd=top, check=True)
    of_commit = cli("index", "--rev", "first", *chosen, cwd=top).json["index_name"]
    for words in ((), (of_commit,)):
        answer = cli("members", *words, cwd=top).json
        assert answer["workspace_type"] == "vscode"
        assert [(one["name"], one["files"]) for one in answer["members"]] == [("back", 1), ("front", 1)]
        found = cli("grep", "b", *(("-n", of_commit) if words else ()), "--member", "back", cwd=top).json
        assert "back/b.py" in str(found)
        (top / "all.code-workspace").unlink(missing_ok=True)  # in the commit it is there all the same
    assert cli("members", cwd=top).json["workspace_type"] == "single"
