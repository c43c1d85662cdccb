"""`grep`: lines for people and programs, and its exit codes."""


def test_lines_under_their_files_with_the_function_around_them(cli, shop):
    out = cli("--pretty", "grep", "self.lines", "-C", "1", cwd=shop).out
    assert out.startswith("shop/cart.py\n")
    assert "[method Cart." in out
    numbers = [line.split()[0] for line in out.split("\n\n")[0].splitlines()[1:] if line.strip()[:1].isdigit()]
    assert len(numbers) == len(set(numbers)), "no line is shown twice"


def test_paths_and_numbers_alone(cli, shop):
    listed = cli("grep", "--files-only", "return", "--lang", "python", cwd=shop).out.splitlines()
    assert str(shop / "shop/cart.py") in listed
    counted = cli("grep", "-c", "return", "--lang", "python", cwd=shop).json
    assert counted["files_matched"] == len(listed)
    assert cli("--pretty", "grep", "-c", "return", "--lang", "python", cwd=shop).out == (
        f"{counted['total']} lines in {len(listed)} files\n"
    )


def test_case_counts_counts_not_or_as_the_text_has_it(cli, shop):
    assert cli("grep", "-c", "Self.Lines", cwd=shop, code=1).json["files_matched"] == 0
    assert cli("grep", "-c", "-i", "Self.Lines", cwd=shop).json["files_matched"] == 1
    assert cli("grep", "-c", "self.lines", "--ignore-case", cwd=shop).json["files_matched"] == 1


def test_exit_codes_are_those_of_grep(cli, shop):
    assert cli("grep", "no such text anywhere", cwd=shop, code=1).json["matches"] == []
    assert cli("grep", "-E", "(", cwd=shop, code=2).error["error_type"] == "validation_error"


def test_matches_over_lines_are_shown_with_their_numbers(cli, shop):
    found = cli("grep", "-U", "-E", r"class \w+.*\n.*", cwd=shop).json["matches"]
    assert found and all(one["end_line"] == one["line"] + 1 for one in found)
    out = cli("--pretty", "grep", "-U", "-E", r"class \w+.*\n.*", cwd=shop).out
    for one in found:
        for number, line in enumerate(one["text"].split("\n"), start=one["line"]):
            assert f" {number} {line}".rstrip() in out
