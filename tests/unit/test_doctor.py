"""What `doctor` only warns of: a pgvector that works and has faults, and old databases."""

from pathlib import Path

import pytest

from cocosearch_py.cli.doctor import Check, pg_trgm_check, pgvector_check, remains_check
from cocosearch_py.storage.server.homes import Remains


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


def test_a_database_without_trigrams_is_warned_of() -> None:
    assert pg_trgm_check("1.6") == Check("pg_trgm", True, "1.6")
    check = pg_trgm_check(None)
    assert check.ok
    assert "CREATE EXTENSION pg_trgm" in check.remedy


def test_databases_that_outlived_their_data_folders_are_warned_of() -> None:
    gone = Remains(Path("/homes/a"), "/gone", "")
    unknown = Remains(Path("/homes/b"), None, "an older version made it")
    (check,) = remains_check([gone, unknown])
    assert check.ok
    assert check.detail == "2 in /homes whose data folder is gone or unknown; 1 can be removed"
    assert "db remains" in check.remedy
    assert remains_check([]) == []
