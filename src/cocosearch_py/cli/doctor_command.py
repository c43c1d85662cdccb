"""`doctor` and `config check`: check everything that the program needs."""

from cocosearch_py.cli.doctor import examine
from cocosearch_py.cli.session import Session
from cocosearch_py.cli.views.tables import show_checks

EXIT_FAILED = 1


def doctor(session: Session) -> int:
    """Run all checks and show them."""
    checks = examine(session)
    healthy = all(one.ok for one in checks)
    if session.json:
        session.emit({"healthy": healthy, "checks": [one.as_json() for one in checks]})
    else:
        show_checks(session.console, checks)
    return 0 if healthy else EXIT_FAILED
