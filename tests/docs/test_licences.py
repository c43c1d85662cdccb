"""The licences of what the dependencies bring along are listed as they are."""

from tools.docs import licences


def test_installed_distributions_have_their_licence_on_the_page() -> None:
    """One that a dependency brings since a new release may be missing as long as its licence is no new one."""
    listed = licences.listed(licences.PAGE.read_text(encoding="utf-8"))
    installed = {name: licence for table in licences.tables() for name, licence in table.items()}
    assert {name: licence for name, licence in installed.items() if listed.get(name, licence) != licence} == {}
    assert {name: licence for name, licence in installed.items() if licence not in listed.values()} == {}
    assert len(installed.keys() & listed.keys()) > 0.9 * len(installed)


def test_what_dependencies_need_with_their_extras_is_followed() -> None:
    found = licences.brought_along(["psycopg[binary]", "alembic"])
    assert {"psycopg-binary", "mako", "markupsafe", "sqlalchemy"} <= found.keys()
    assert not {"psycopg", "alembic"} & found.keys()
    assert "psycopg-binary" not in licences.brought_along(["psycopg"])
