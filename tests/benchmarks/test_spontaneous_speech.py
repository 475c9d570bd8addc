"""Tests of AMI, Earnings-22, SPGISpeech, TED-LIUM, VoxPopuli, GigaSpeech and WenetSpeech."""

from __future__ import annotations

from pathlib import Path

import pytest

from auricle.core.errors import DataError
from auricle.engine.catalogue import TASKS
from tests.support.miniatures import write_lines
from tests.support.miniatures_suite import SpeechSuite


class TestSpontaneousSpeech(SpeechSuite):
    tasks = ("ami", "earnings22", "spgispeech", "tedlium", "gigaspeech", "wenetspeech")


@pytest.mark.slow
class TestVoxpopuli(SpeechSuite):
    tasks = ("voxpopuli",)


def test_a_truncated_json_file_is_reported(tmp_path: Path) -> None:
    write_lines(tmp_path / "GigaSpeech.json", '{"audios": [')
    with pytest.raises(DataError, match=r"GigaSpeech.json: expected a JSON object with a list `audios`"):
        TASKS.get("gigaspeech")(root=str(tmp_path)).samples.validate()
