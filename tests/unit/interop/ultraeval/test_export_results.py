import json
from collections import Counter
from pathlib import Path

from auricle.interop.result_export import export_run


def test_answered_samples_have_four_events_and_failed_ones_two(asr_run: Path, tmp_path: Path) -> None:
    path, overall = export_run(asr_run, "ultraeval", tmp_path / "out")
    events = [json.loads(line) for line in path.read_text().splitlines()]
    assert Counter(event["id"] for event in events) == {0: 4, 1: 4, 2: 4, 3: 2}
    assert [event["type"] for event in events[-2:]] == ["prompt", "error"]
    assert "'wer'" in overall.read_text()
