"""The logger of AISBench's classes."""

from __future__ import annotations

import logging
from functools import partialmethod
from typing import Any

MAX_REMEMBERED_MESSAGES = 1000


class AISLogger:
    """`self.logger`; logs each message once."""

    def __init__(self, name: str = "ais_bench", *_: Any, **__: Any) -> None:
        self._logger = logging.getLogger(name)
        self._logged: set[str] = set()

    def _log_once(self, level: int, message: object, *arguments: Any) -> None:
        if not self._logger.isEnabledFor(level) or str(message) in self._logged:
            return
        if len(self._logged) < MAX_REMEMBERED_MESSAGES:
            self._logged.add(str(message))
        self._logger.log(level, message, *arguments)

    debug = partialmethod(_log_once, logging.DEBUG)
    info = partialmethod(_log_once, logging.INFO)
    warning = partialmethod(_log_once, logging.WARNING)

    def error(self, code: object, message: object = "", *arguments: Any) -> None:
        """Log an error; AISBench passes a code before the message."""
        self._log_once(logging.ERROR, message or code, *arguments)
