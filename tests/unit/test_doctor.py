"""What `doctor` says of a pgvector that works and has faults: a warning, which is no failure."""

import pytest

from cocosearch_py.cli.doctor import Check, pgvector_check


@pytest.mark.parametrize("version", ["0.7.0", "0.8.1", "0.8.3", "0.8"])
def test_an_old_pgvector_is_warned_of(version: str) -> None:
    check = pgvector_check(version, fits=True)
    assert check.ok
    assert "corrupt memory and indexes were fixed in 0.8.2 to 0.8.4" in check.detail
    assert "ALTER EXTENSION vector UPDATE" in check.remedy


@pytest.mark.parametrize("version", ["0.8.4", "0.8.5", "0.9.0", "0.10.1", "1.0"])
def test_a_sound_pgvector_is_fine(version: str) -> None:
    assert pgvector_check(version, fits=True) == Check("pgvector", True, version)


@pytest.mark.parametrize("version", [None, "0.6.2"])
def test_no_pgvector_that_fits_is_a_failure(version: str | None) -> None:
    check = pgvector_check(version, fits=False)
    assert not check.ok
    assert check.remedy
