"""Where log messages go: standard error, and a file when the settings ask for one."""

import logging
from pathlib import Path

from cocosearch_py.cli.loading import load
from cocosearch_py.config.settings import LoggingSettings
from cocosearch_py.errors import ConfigurationError
from cocosearch_py.model.private import data_folder_with

_FORM = "%(asctime)s %(levelname)s %(name)s: %(message)s"


def set_up_logging(settings: LoggingSettings, file: Path, *, libraries: bool) -> None:
    """Set level and destinations of the root logger.

    Args:
        libraries: show on standard error what libraries log, too; the file has it always. Without it our own error
            message, which says what to do, is not preceded by a driver's account of the same failure.
    Raises:
        ConfigurationError: the file cannot be written.
    """
    terminal = logging.StreamHandler()
    if not libraries:
        terminal.addFilter(logging.Filter("cocosearch_py"))
    handlers: list[logging.Handler] = [terminal]
    if settings.file:
        try:
            data_folder_with(file.parent.parent, file.parent.name)
            handlers.append(load("server.logs.LogFile")(file))
        except OSError as error:
            raise ConfigurationError(
                f"the log file {file} cannot be written: {error.strerror}",
                hint="set logging.file to false or COCOSEARCH_DATA_DIR to a folder of your own",
            ) from error
    logging.basicConfig(level=settings.level.upper(), format=_FORM, handlers=handlers, force=True)
