from __future__ import annotations

import logging

import pytest

from auricle.frameworks.aisbench.logger import AISLogger


def test_each_message_is_logged_once(caplog: pytest.LogCaptureFixture) -> None:
    logger = AISLogger()
    with caplog.at_level(logging.INFO, "ais_bench"):
        for _ in range(3):
            logger.info("ready")
        logger.error("CODE-1", "no answer")
        logger.error("only a message")
        logger.debug("not logged")
    assert [(record.levelname, record.getMessage()) for record in caplog.records] == [
        ("INFO", "ready"),
        ("ERROR", "no answer"),
        ("ERROR", "only a message"),
    ]
