"""`deps`, `impact`, `graph` and `map`: for people and programs, and what cannot be asked."""

import pytest


@pytest.fixture
def project(cli, tmp_path, write_sample):
    """The sample project in a folder and an index of its own."""
    folder = write_sample(tmp_path / f"graphed-{tmp_path.name}")
    cli("index", folder)
    yield folder
    cli("clear", folder.name, "--force")


def test_trees_for_people(cli, project):
    (project / "shop" / "page.py").write_text("from shop.cart import Cart\n")
    cli("index", cwd=project)
    out = cli("--pretty", "deps", "shop/page.py", "--depth", "2", cwd=project).out.splitlines()
    assert out[0] == "shop/page.py"
    assert out[1].split()[-2:] == ["shop/cart.py:1", "Cart"]
    reached = cli("--pretty", "impact", "shop/cart.py", cwd=project)
    assert "shop/page.py" in reached.out
    assert "1 file may be affected" in reached.err


def test_what_programs_get(cli, project):
    (project / "shop" / "__init__.py").touch()
    (project / "shop" / "page.py").write_text("import shop.cart\nimport os\nimport shop.nowhere\n")
    cli("index", cwd=project)
    answer = cli("deps", "page.py", "--external", cwd=project / "shop").json
    assert answer["file"] == "shop/page.py"
    assert answer["dependencies"] == [
        {"target_file": "shop/cart.py", "target_symbol": None, "dep_type": "import", "module": "shop.cart", "line": 1}
    ]
    assert answer["unresolved"] == [{"module": "shop.nowhere", "line": 3, "file": "shop/page.py"}]
    assert answer["external"] == [{"module": "os", "line": 2, "file": "shop/page.py"}]
    shown = cli("--pretty", "deps", "page.py", "--external", cwd=project / "shop").out
    assert shown.splitlines()[-2:] == ["outside the index", "  os  page.py:2"]
    both = cli("deps", "shop/page.py", "no/such.py", "--depth", "2", cwd=project).json
    assert both["not_found"] == ["no/such.py"]
    assert [one["file"] for one in both["files"]] == ["shop/page.py"]
    assert cli("impact", "shop/cart.py", cwd=project).json["affected_files"] == [
        {"file": "shop/page.py", "distance": 1}
    ]


def test_imports_that_lead_nowhere_are_one_line_for_people(cli, project):
    missing = "".join(f"import shop.missing{number}\n" for number in range(5))
    (project / "shop" / "__init__.py").touch()
    (project / "shop" / "page.py").write_text(missing)
    cli("index", cwd=project)
    told = [
        line for line in cli("--pretty", "deps", "shop/page.py", cwd=project).err.splitlines() if "not resolve" in line
    ]
    assert len(told) == 1
    assert "5 imports do not resolve to an indexed file: shop.missing0 (shop/page.py:1), " in told[0]
    assert told[0].endswith(", ...")
    assert len(cli("deps", "shop/page.py", cwd=project).json["unresolved"]) == 5


def test_graphs_and_maps_are_text_even_into_a_pipe(cli, project):
    (project / "shop" / "page.py").write_text("import shop.cart\n")
    cli("index", cwd=project)
    assert cli("graph", cwd=project).out.startswith("graph LR\n")
    assert '"shop/page.py" -> "shop/cart.py";' in cli("graph", "shop", "--format", "dot", cwd=project).out
    drawn = cli("graph", "--format", "json", "--max-nodes", "10", cwd=project).json
    assert {"source": "shop/page.py", "target": "shop/cart.py", "imports": 1} in drawn["edges"]
    lines = cli("map", cwd=project).out.splitlines()
    assert "shop/cart.py" in lines
    assert any(line.split(": ", 1)[1].startswith("class Cart") for line in lines if ": class" in line)
    assert "neither a path nor a name" in cli("map", "Zzzz", cwd=project).err


def test_what_cannot_be_asked(cli, project, tmp_path):
    assert cli("deps", "no/such.py", cwd=project, code=1).error["error_type"] == "not_found"
    assert cli("deps", tmp_path / "x.py", cwd=project, code=5).error["error_type"] == "safety_error"
    assert cli("deps", cwd=project, code=2).error["error_type"] == "validation_error"
    assert (
        cli("deps", "shop/cart.py", "--type", "friend", cwd=project, code=2).error["error_type"] == "validation_error"
    )
    assert cli("graph", "--level", "planet", cwd=project, code=2).error["error_type"] == "validation_error"
