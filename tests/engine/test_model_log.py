"""What a model logs and prints is kept in its run."""

from __future__ import annotations

import logging
import sys
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from auricle.core.redaction import SECRETS
from auricle.engine import model_log as module
from auricle.engine.model_log import LOG_FILE, ModelLog, loguru_records_written, model_log


def read_log(run: Path) -> str:
    return (run / LOG_FILE).read_text()


def test_output_and_log_records_are_kept_and_still_printed(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    handlers = [*logging.getLogger().handlers]
    with model_log(tmp_path):
        assert sys.stdout.write("to stdout\n") == len("to stdout\n")
        sys.stdout.flush()
        assert not sys.stderr.isatty()
        sys.stderr.write("to stderr\n")
        logging.getLogger("a.model").warning("a warning")
    assert logging.getLogger().handlers == handlers
    assert capsys.readouterr().out == "to stdout\n"
    assert [line in read_log(tmp_path) for line in ("to stdout\n", "to stderr\n", "a warning")] == [True] * 3


def test_records_below_warnings_are_only_in_the_log(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    logger = logging.getLogger("a.verbose.model")
    logger.setLevel(logging.DEBUG)
    with model_log(tmp_path):
        logger.debug("caught %s", "an error")
    assert "DEBUG a.verbose.model: caught an error\n" in read_log(tmp_path)
    assert capsys.readouterr().err == ""


def test_warnings_are_printed_as_python_does_without_a_handler(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(logging.getLogger(), "handlers", [])
    with model_log(tmp_path):
        logging.getLogger("a.model").warning("it is slow")
    assert capsys.readouterr().err == "it is slow\n"
    assert read_log(tmp_path) == "it is slow\n"


def test_a_silent_model_has_no_log(tmp_path: Path) -> None:
    with model_log(tmp_path):
        sys.stderr.write("\r 50 %")  # a progress bar
    assert not (tmp_path / "logs").exists()


def test_the_log_has_no_secrets_and_a_limited_length(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "MAX_LOG_LENGTH", 100)
    SECRETS.register({"api_key": "sk-very-secret-indeed"})
    log = ModelLog(tmp_path / "model.log")
    log.write("key sk-very-secret-indeed\n")
    log.write("x" * 200)
    log.write("no longer written")
    log.close()
    text = (tmp_path / "model.log").read_text()
    assert "secret" not in text
    assert text.endswith("The log is full; further lines are left out.\n")


def test_the_end_of_a_log_that_is_exactly_full_is_marked(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "MAX_LOG_LENGTH", 10)
    log = ModelLog(tmp_path / "model.log")
    log.write("12345678\n")
    assert (tmp_path / "model.log").read_text() == "12345678\n"
    log.write("\n")
    assert (tmp_path / "model.log").read_text() == "12345678\n\n\nThe log is full; further lines are left out.\n"
    log.close()


def test_a_log_that_could_not_be_written_is_not_tried_again(tmp_path: Path) -> None:
    log = ModelLog(tmp_path / "run" / "logs" / "model.log")
    log.write("lost\n")
    (tmp_path / "run").mkdir()
    log.write("ignored\n")
    log.close()
    assert not (tmp_path / "run" / "logs").exists()


def test_lines_can_be_read_while_the_model_runs(tmp_path: Path) -> None:
    log = ModelLog(tmp_path / "model.log")
    log.write("a line\n")
    assert (tmp_path / "model.log").read_text() == "a line\n"
    log.close()


def test_a_log_that_cannot_be_written_does_not_disturb_the_model(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with model_log(tmp_path / "no such run"):
        sys.stdout.write("printed\n")
    assert capsys.readouterr().out == "printed\n"


def test_what_is_written_after_the_run_is_ignored(tmp_path: Path) -> None:
    with model_log(tmp_path):
        stream = sys.stdout
        stream.write("during\n")
    stream.write("after")
    assert read_log(tmp_path) == "during\n"


class FakeLoguru:
    """The part of loguru's logger that is used: sinks have numbers, and a number that is gone cannot be removed."""

    def __init__(self) -> None:
        self.sinks: dict[int, Callable[[str], object]] = {}

    def add(self, sink: Callable[[str], object], **options: Any) -> int:
        assert options == {"level": "DEBUG", "colorize": False}
        self.sinks[7] = sink
        return 7

    def remove(self, number: int) -> None:
        if number not in self.sinks:
            raise ValueError(f"There is no existing handler with id {number}")
        del self.sinks[number]


def test_records_of_loguru_are_written_if_it_is_loaded(monkeypatch: pytest.MonkeyPatch) -> None:
    logger = FakeLoguru()
    lines: list[str] = []
    with loguru_records_written(lines.append):
        assert not logger.sinks
    monkeypatch.setitem(sys.modules, "loguru", SimpleNamespace(logger=logger))
    with loguru_records_written(lines.append):
        logger.sinks[7]("caught an error")
    assert lines == ["caught an error"]
    assert not logger.sinks


def test_a_model_may_remove_all_sinks_of_loguru(monkeypatch: pytest.MonkeyPatch) -> None:
    logger = FakeLoguru()
    monkeypatch.setitem(sys.modules, "loguru", SimpleNamespace(logger=logger))
    with loguru_records_written(print):
        logger.sinks.clear()


NOISY = """
import logging

from auricle import BatchModel, Generation

class Noisy(BatchModel):
    def __init__(self):
        print("loading")

    def generate(self, batch):
        logging.getLogger("noisy").error("out of memory")
        return [Generation(text="") for _ in batch]
"""


@pytest.mark.slow
@pytest.mark.parametrize(("replicas", "log"), [(1, "model.log"), (2, "replica-0.log")])
def test_a_run_has_the_log_of_its_model(tmp_path: Path, manifest: Any, auricle: Any, replicas: int, log: str) -> None:
    (tmp_path / "noisy.py").write_text(NOISY)
    data = manifest([{"question": "What?", "answer": "x"}])
    arguments = ("run", data, "--as", "qa", "-m", "noisy.py:Noisy", "--replicas", replicas, "-o", "run")
    result = auricle(*arguments, *(() if replicas == 1 else ("--batch-size", 1)))
    assert result.returncode == 3, result.stderr  # its only answer is empty
    text = (tmp_path / "run" / "logs" / log).read_text()
    assert "loading" in text
    assert "out of memory" in text
