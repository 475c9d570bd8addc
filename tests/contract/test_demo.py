"""The demo: two real recognisers, no network, plausible numbers."""

import json
import os
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from auricle.core.calls import CallRecording
from auricle.core.serialization import decode_record
from auricle.core.types import Sample
from auricle.engine.factory import build_task
from auricle.engine.spec import Spec

SENTENCES = 3  # of sixteen, each in three subsets: enough to see which of the two recognisers is better
NO_NETWORK = """
import socket

def refuse(self, address):
    raise OSError(f"the demo reached for the network: {address}")

socket.socket.connect = socket.socket.connect_ex = refuse
"""


@pytest.fixture
def offline(tmp_path: Path) -> Any:
    """Return environment variables with which every connection fails."""
    folder = tmp_path / "offline"
    folder.mkdir()
    (folder / "sitecustomize.py").write_text(NO_NETWORK)
    return {**os.environ, "PYTHONPATH": str(folder)}


def test_demo_compares_two_recognisers_in_noise(auricle: Any, offline: Any, tmp_path: Path) -> None:
    done = auricle("demo", "-o", "demo", "--limit", 3 * SENTENCES, env=offline)
    assert done.returncode == 0, done.stderr
    for words in ("moonshine", "pocketsphinx", "subset=clean", "subset=noise-5db", "report.html"):
        assert words in done.stdout
    rates = {}
    for model in ("moonshine", "pocketsphinx"):
        document = json.loads((tmp_path / "demo" / model / "metrics.json").read_text())
        assert document["outcomes"]["answered"] == 3 * SENTENCES
        for number in document["numbers"]:
            if number["metric"] == "wer":
                rates[model, number["field"], number["group"]] = number
                assert number["low"] <= number["value"] <= number["high"]
    for model in ("moonshine", "pocketsphinx"):
        clean, noisy = (rates[model, "subset", name]["value"] for name in ("clean", "noise-5db"))
        assert clean < noisy
    assert rates["moonshine", "", "all"]["value"] < rates["pocketsphinx", "", "all"]["low"]
    for model in ("moonshine", "pocketsphinx"):
        parts = [tmp_path / f"demo/in-noise/demo-conditions-{model}" / part for part in ("clean", "noise-snr-10")]
        clean, noisy = (json.loads((part / "metrics.json").read_text())["numbers"][0]["value"] for part in parts)
        assert clean < noisy


def test_demo_has_every_sentence_clean_and_with_two_noises() -> None:
    subsets = Counter(
        sample.meta["subset"]
        for sample in build_task(Spec(task="demo", model="echo")).samples
        if isinstance(sample, Sample)
    )
    assert subsets == {"clean": 16, "noise-15db": 16, "noise-5db": 16}


def test_a_voice_agent_is_called_without_a_network(auricle: Any, offline: Any, tmp_path: Path) -> None:
    done = auricle("demo", "voice", "-o", "calls", "--limit", 2, env=offline)
    assert done.returncode == 0, done.stderr
    assert "calls/report.html" in done.stdout
    lines = [json.loads(line) for line in (tmp_path / "calls" / "outputs.jsonl").read_text().splitlines()]
    recordings = {line["id"]: decode_record(line).outputs[0] for line in lines}
    hours, booking = recordings["opening-hours"], recordings["booking"]
    assert isinstance(hours, CallRecording)
    assert isinstance(booking, CallRecording)
    assert "ten" in hours.text
    assert [call["name"] for call in booking.tool_calls] == ["book_table"]
    numbers = json.loads((tmp_path / "calls" / "metrics.json").read_text())["numbers"]
    latencies = [number["value"] for number in numbers if number["metric"] == "voice_to_voice"]
    assert all(0.3 < latency < 10 for latency in latencies)
    assert latencies
