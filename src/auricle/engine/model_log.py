"""Keep what a model logs and prints, so that errors it handles by itself can be read after the run."""

from __future__ import annotations

import logging
import sys
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager, redirect_stderr, redirect_stdout, suppress
from pathlib import Path
from threading import Lock
from typing import Any, TextIO

from auricle.core.redaction import RedactingStream, redact_text

LOG_FILE = "logs/model.log"
"""Log of a model that runs in this process, in the run directory; replicas have their own."""
MAX_LOG_LENGTH = 20_000_000
"""Characters after which nothing more is written."""
LINE_FORMAT = "%(asctime)s %(levelname)s %(name)s: %(message)s"


class ModelLog:
    """The log file of a run, created with its first line and without secrets."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._file: TextIO | None = None
        self._lock = Lock()
        self._room = MAX_LOG_LENGTH

    def write(self, text: str) -> None:
        with self._lock:
            if self._room <= 0 or text.startswith("\r"):  # progress bars redraw their line
                return
            try:
                self._append(redact_text(text))
            except OSError:  # a full disk must not turn what a model prints into an error of the model
                self._room = 0

    def _append(self, text: str) -> None:
        if self._file is None:
            self._path.parent.mkdir(exist_ok=True)
            self._file = self._path.open("a", encoding="utf-8", errors="replace", buffering=1)
        self._room -= len(text)
        self._file.write(text)
        if self._room <= 0:
            self._file.write("\nThe log is full; further lines are left out.\n")

    def close(self) -> None:
        """Close the file; whatever still writes to the log afterwards is ignored."""
        with self._lock:
            self._room = 0
            if self._file:
                self._file.close()


class RecordedStream(RedactingStream):
    """A stream whose text is also written to a log."""

    def __init__(self, stream: TextIO, log: ModelLog) -> None:
        super().__init__(stream)
        self._log = log

    def write(self, text: str) -> int:
        self._log.write(text)
        return super().write(text)


class LogHandler(logging.Handler):
    """Writes log records, and prints warnings as Python does if no handler is configured."""

    def __init__(self, write: Callable[[str], object]) -> None:
        super().__init__()
        self._write = write
        self.setFormatter(logging.Formatter(LINE_FORMAT))

    def emit(self, record: logging.LogRecord) -> None:
        fallback = logging.lastResort
        if fallback and record.levelno >= fallback.level and logging.getLogger().handlers == [self]:
            fallback.handle(record)  # standard error is recorded, too
        else:
            self._write(f"{self.format(record)}\n")


@contextmanager
def log_records_written(write: Callable[[str], object]) -> Iterator[None]:
    """Write the records of `logging` within the block."""
    handler = LogHandler(write)
    logging.getLogger().addHandler(handler)
    try:
        yield
    finally:
        logging.getLogger().removeHandler(handler)


@contextmanager
def loguru_records_written(write: Callable[[str], object]) -> Iterator[None]:
    """Write the records of loguru within the block, if the model has loaded it."""
    logger: Any = getattr(sys.modules.get("loguru"), "logger", None)
    if logger is None:
        yield
        return
    sink = logger.add(write, level="DEBUG", colorize=False)
    try:
        yield
    finally:
        with suppress(ValueError):  # the model may have removed all sinks
            logger.remove(sink)


@contextmanager
def model_log(run_path: Path) -> Iterator[ModelLog]:
    """Record what is printed and logged within the block in the log of a run."""
    log = ModelLog(run_path / LOG_FILE)
    with ExitStack() as stack:
        stack.callback(log.close)
        stack.enter_context(redirect_stdout(RecordedStream(sys.stdout, log)))
        stack.enter_context(redirect_stderr(RecordedStream(sys.stderr, log)))
        stack.enter_context(log_records_written(log.write))
        yield log
