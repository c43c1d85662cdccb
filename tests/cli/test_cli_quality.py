"""`hotspots` and `health`: for people and programs, and what cannot be asked."""


def test_complex_functions(cli, shop):
    cli("index", cwd=shop)
    answer = cli("hotspots", "--limit", "2", cwd=shop).json
    assert list(answer["hotspots"][0]) == (
        "file name kind line cyclomatic max_nesting param_count body_lines score churn".split()
    )
    assert len(answer["hotspots"]) == 2 < answer["total"]
    people = cli("--pretty", "hotspots", "cart.py", cwd=shop / "shop")
    assert people.out.splitlines()[0].split() == ("score branches nesting params lines churn function place".split())
    assert "shop/cart.py:" in people.out
    assert "functions" in people.err
    assert "churn of 0" in cli("--pretty", "hotspots", "--sort", "churn", cwd=shop).err


def test_the_health_of_a_project(cli, shop):
    (shop / "notes.md").write_text("# Notes\n")
    cli("index", cwd=shop)
    answer = cli("health", "shop", cwd=shop).json
    assert answer["total_functions"] == answer["analyzed"] > 2
    assert set(answer["complexity"]) == {"avg", "median", "max", "p90"}
    out = cli("--pretty", "health", cwd=shop).out
    assert out.startswith("functions ")
    assert "documented " in out
    assert "no functions were found" in cli("--pretty", "health", "notes.md", cwd=shop).err


def test_what_cannot_be_asked(cli, shop, tmp_path):
    assert cli("hotspots", "--sort", "beauty", cwd=shop, code=2).error["error_type"] == "validation_error"
    assert cli("hotspots", "no/such", cwd=shop, code=1).error["error_type"] == "not_found"
    assert cli("health", tmp_path / "x.py", cwd=shop, code=5).error["error_type"] == "safety_error"
