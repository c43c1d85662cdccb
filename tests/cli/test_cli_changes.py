"""`changes` and `changes undo` as people and programs see them."""

from tests.cli.test_cli_terminal import on_terminal


def test_changes_are_shown_and_taken_back(cli, database_url, tmp_path, environment):
    at = ("--database-url", database_url)
    file = tmp_path / "shop" / "cart.py"
    file.parent.mkdir()
    file.write_text("def total(prices):\n    return sum(prices)\n")
    cli("index", file.parent, *at)
    assert cli("changes", "-n", "shop", *at).json["changes"] == []
    known = cli("read", "cart.py", "-n", "shop", *at).json["hash"]
    edit = ("--old-text", "sum", "--content", "max", "--if-hash", known, "-n", "shop", *at)
    assert cli("patch", "cart.py", *edit).json["seq"] == 1
    (row,) = cli("changes", "-n", "shop", *at).json["changes"]
    assert (row["op"], row["source"], row["hash_before"], row["undoable"]) == ("replace", "agent", known, True)
    refused = cli("--pretty", "patch", "cart.py", *edit, code=1).err
    assert "  -    return sum(prices)\n  +    return max(prices)\n" in refused  # what the caller does not know
    _, shown = on_terminal(environment, "changes", "-n", "shop", *at)
    assert "replace" in shown and "cart.py" in shown
    dry = cli("changes", "undo", "1", "--dry-run", "-n", "shop", *at).json
    assert (dry["dry_run"], dry["undone"][0]["hash"], "max" in file.read_text()) == (True, known, True)
    _, told = on_terminal(environment, "changes", "undo", "1", "-n", "shop", *at)
    assert "took back 1" in told and "of cart.py: change 2" in told  # with colours between
    assert "sum" in file.read_text()
    over = ("--content", "free = True\n", "--overwrite", "--if-hash", known)
    code, asked = on_terminal(environment, "create", "cart.py", *over, "-n", "shop", *at, typed="n\n")
    assert code and "-def total(prices):" in asked and "+free = True" in asked
    assert asked.index("+free = True") < asked.index("Overwrite cart.py?")
    assert "sum" in file.read_text()
    half = cli("--pretty", "create", "half.py", "--content", "x = (1\n", "--dry-run", "-n", "shop", *at).err
    assert "new syntax errors in line 1\n" in half
    jobs = cli("--pretty", "status", *at).out
    assert "{" not in jobs and "seconds" in jobs, "a table, not what programs see"
    assert "no edit given" in cli("changes", "undo", "-n", "shop", *at, code=2).error["error"]
    assert "missing argument: FILE" in cli("create", "-n", "shop", *at, code=2).error["error"]
    assert "is a folder" in cli("create", "new/", "-n", "shop", *at, code=2).error["error"]
    failed = cli("changes", "undo", "7", "-n", "shop", *at, code=1).error
    assert failed["error_type"] == "not_found"
