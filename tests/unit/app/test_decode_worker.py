"""Tests of the process that decodes untrusted audio."""

import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from auricle.app.decode_worker import check_limits

pytestmark = pytest.mark.slow


def decode(content: bytes, max_seconds: str = "10") -> tuple[dict[str, object], bytes]:
    command = [sys.executable, "-m", "auricle.app.decode_worker", max_seconds]
    output = subprocess.run(command, input=content, stdout=subprocess.PIPE, check=True).stdout
    header, _, samples = output.partition(b"\n")
    return json.loads(header), samples


def test_header_is_followed_by_float_samples(tone: Callable[..., Path]) -> None:
    header, samples = decode(tone("a.wav", 0.1).read_bytes())
    assert header == {"rate": 16_000, "channels": 1}
    assert len(samples) == 4 * 1600


def test_content_that_is_not_audio_gives_an_error() -> None:
    header, samples = decode(b"not audio")
    assert header.keys() == {"error"}
    assert samples == b""


def test_limits_count_the_samples_of_all_channels() -> None:
    assert check_limits(500.0, 96_000, 600.0) == ""
    assert "768 million samples" in check_limits(500.0, 8 * 192_000, 600.0)
