"""`hotspots`, `health` and `diff`: for people and programs, and what cannot be asked."""

import shutil
import subprocess
from pathlib import Path


def test_complex_functions(cli, shop):
    cli("index", cwd=shop)
    answer = cli("hotspots", "--limit", "2", cwd=shop).json
    assert list(answer["hotspots"][0]) == (
        "file name kind line cyclomatic max_nesting param_count body_lines score churn".split()
    )
    assert len(answer["hotspots"]) == 2 < answer["total"]
    people = cli("--pretty", "hotspots", "cart.py", cwd=shop / "shop")
    for columns in ("80", "100"):
        head, *rows = cli("--pretty", "hotspots", cwd=shop, env={"COLUMNS": columns}).out.splitlines()
        assert {"score", "branches", "lines", "churn", "function"} <= set(head.split())
        assert all(len(row) <= int(columns) for row in rows)
    assert "  cart.py:" in people.out
    assert "functions" in people.err
    assert "churn is 0" in cli("--pretty", "hotspots", "--sort", "churn", cwd=shop).err


def test_the_health_of_a_project(cli, tmp_path, write_sample):
    shop = write_sample(tmp_path / "healthy")
    (shop / "notes.md").write_text("# Notes\n")
    cli("index", cwd=shop)
    answer = cli("health", "shop", cwd=shop).json
    assert answer["total_functions"] == answer["analyzed"] > 2
    assert set(answer["complexity"]) == {"avg", "median", "max", "p90"}
    out = cli("--pretty", "health", cwd=shop).out
    assert out.startswith("functions ")
    assert "documented " in out
    assert "no functions found" in cli("--pretty", "health", "notes.md", cwd=shop).err


def test_what_cannot_be_asked(cli, shop, tmp_path):
    assert cli("hotspots", "--sort", "beauty", cwd=shop, code=2).error["error_type"] == "validation_error"
    assert cli("hotspots", "no/such", cwd=shop, code=1).error["error_type"] == "not_found"
    assert cli("health", tmp_path / "x.py", cwd=shop, code=5).error["error_type"] == "safety_error"


def test_what_changed(cli, shop, tmp_path):
    shop = Path(shutil.copytree(shop, tmp_path / "repository"))
    (shop / "shop" / "page.py").write_text("import shop.cart\n")
    (shop / "tests").mkdir(exist_ok=True)
    (shop / "tests" / "test_cart.py").write_text("from shop.cart import Cart\n\n\ndef test_it():\n    Cart()\n")
    identity = ("-c", "user.name=n", "-c", "user.email=n@example.org")
    for arguments in (("init", "-q"), ("add", "."), (*identity, "commit", "-q", "-m", "one")):
        subprocess.run(["git", *arguments], cwd=shop, check=True)
    cart = shop / "shop" / "cart.py"
    cart.write_text(cart.read_text().replace("def add_item(self", "def add_item(self, extra") + "\n\ndef more(): ...\n")
    cli("index", "--name", "repository", cwd=shop)
    answer = cli("diff", "--since", "HEAD", "--impact", cwd=shop).json
    assert answer["files_modified"] == ["shop/cart.py"]
    assert answer["files_added"] == answer["files_removed"] == []
    (file,) = answer["changes"]
    assert [one["name"] for one in file["added"]] == ["more"]
    assert "extra" in file["signature_changed"][0]["signature"] not in file["signature_changed"][0]["old_signature"]
    assert answer["impacted_tests"] == ["tests/test_cart.py"]
    people = cli("--pretty", "diff", "--since", "HEAD", cwd=shop)
    assert "  + def more()" in people.out
    assert "1 file differs from HEAD" in people.err
    assert cli("diff", "--since", "nope", cwd=shop, code=1).error["error_type"] == "not_found"
    assert cli("diff", "--pr", "1", cwd=shop, code=1).error["error_type"] == "not_found"


def test_what_cannot_be_compared(cli, shop):
    cli("index", cwd=shop)
    assert cli("diff", cwd=shop, code=2).error["error_type"] == "validation_error"
    assert cli("diff", "--since=--output=x", cwd=shop, code=2).error["error_type"] == "validation_error"
    assert cli("diff", "--since", "HEAD", cwd=shop, code=1).error["error_type"] == "not_found"
