"""`tf.logging`: messages at levels, through Python's logger `tensorflow`."""

from __future__ import annotations

import logging as _logging
import sys as _sys
from typing import Any

DEBUG = _logging.DEBUG
ERROR = _logging.ERROR
FATAL = _logging.FATAL
INFO = _logging.INFO
WARN = _logging.WARNING

__all__ = [
    "DEBUG", "ERROR", "FATAL", "INFO", "WARN", "TaskLevelStatusMessage", "debug", "error", "fatal", "flush",
    "get_verbosity", "info", "log", "log_every_n", "log_first_n", "log_if", "set_verbosity", "vlog", "warn", "warning",
]  # fmt: skip

_counts: dict[Any, int] = {}


def _logger() -> _logging.Logger:
    """The logger, which writes `INFO:tensorflow:…` on standard error unless the program has set up logging itself."""
    logger = _logging.getLogger("tensorflow")
    if not logger.handlers and not _logging.getLogger().handlers:
        if logger.level == _logging.NOTSET:
            # TensorFlow 1.x shows warnings; in a notebook or a prompt, information too.
            logger.setLevel(INFO if hasattr(_sys, "ps1") else WARN)
        handler = _logging.StreamHandler()
        handler.setFormatter(_logging.Formatter(_logging.BASIC_FORMAT))
        logger.addHandler(handler)
    return logger


def get_logger() -> _logging.Logger:
    """The logger that these functions write to. (`tf.get_logger`)"""
    return _logger()


def log(level: int, msg: Any, *args: Any, **kwargs: Any) -> None:
    """A message at `level`, formatted with `args` by %."""
    _logger().log(level, msg, *args, **kwargs)


def debug(msg: Any, *args: Any, **kwargs: Any) -> None:
    """A message for who looks for a fault."""
    _logger().debug(msg, *args, **kwargs)


def info(msg: Any, *args: Any, **kwargs: Any) -> None:
    """A message about what goes on."""
    _logger().info(msg, *args, **kwargs)


def warning(msg: Any, *args: Any, **kwargs: Any) -> None:
    """A warning."""
    _logger().warning(msg, *args, **kwargs)


def warn(msg: Any, *args: Any, **kwargs: Any) -> None:
    """A warning."""
    _logger().warning(msg, *args, **kwargs)


def error(msg: Any, *args: Any, **kwargs: Any) -> None:
    """A message about what went wrong."""
    _logger().error(msg, *args, **kwargs)


def fatal(msg: Any, *args: Any, **kwargs: Any) -> None:
    """A message about what the program cannot survive; it is the caller who stops it."""
    _logger().fatal(msg, *args, **kwargs)


def vlog(level: int, msg: Any, *args: Any, **kwargs: Any) -> None:
    """A message at `level`."""
    _logger().log(level, msg, *args, **kwargs)


def _counted(token: Any) -> int:
    count = _counts.get(token, 0)
    _counts[token] = count + 1
    return count


def _caller() -> tuple[str, int]:
    """File and line of whoever called the function that calls this."""
    frame = _sys._getframe(2)
    return frame.f_code.co_filename, frame.f_lineno


def log_if(level: int, msg: Any, condition: Any, *args: Any) -> None:
    """A message where `condition` is true."""
    if condition:
        vlog(level, msg, *args)


def log_every_n(level: int, msg: Any, n: int, *args: Any) -> None:
    """A message the first and then every n-th time that this line runs."""
    if _counted(_caller()) % n == 0:
        vlog(level, msg, *args)


def log_first_n(level: int, msg: Any, n: int, *args: Any) -> None:
    """A message the first n times that this line runs."""
    if _counted(_caller()) < n:
        vlog(level, msg, *args)


def flush() -> None:
    """Writes what handlers hold back."""
    for handler in _logger().handlers:
        handler.flush()


def get_verbosity() -> int:
    """The lowest level that is shown."""
    return _logger().getEffectiveLevel()


def set_verbosity(v: int | str) -> None:
    """Shows messages from level `v` on: a number or a name such as `tf.logging.INFO` or 'INFO'."""
    _logger().setLevel(v)


def TaskLevelStatusMessage(msg: Any) -> None:
    """An error message."""
    error(msg)
