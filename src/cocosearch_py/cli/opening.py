"""The services of the program, as a command uses them."""

from cocosearch_py.app import App
from cocosearch_py.cli.logs import set_up_logging
from cocosearch_py.cli.session import Session
from cocosearch_py.config.load import LoadedSettings
from cocosearch_py.config.paths import git_ignore_file, home_folder, log_file


def open_app(session: Session, loaded: LoadedSettings | None = None) -> App:
    """Make the services under these settings, or those of the current folder; the session closes them.

    Opens no database and no model yet.
    """
    loaded = loaded or session.load()
    environ = session.environ
    with_libraries = session.verbose or loaded.origins["logging.level"].kind != "default"
    set_up_logging(loaded.settings.logging, log_file(environ), libraries=with_libraries)
    app = App(loaded.settings, session.data_folder, git_ignore_file(environ), home_folder(environ))
    session.opened.callback(app.close)
    return app
