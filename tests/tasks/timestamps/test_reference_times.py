"""Times of references beside the durations of recordings."""

import json
from pathlib import Path
from typing import Any

import pytest

from auricle import Audio
from auricle.core.types import Sample
from auricle.data.manifest import Manifest
from auricle.tasks.meetings.kind import meeting
from auricle.tasks.sound_events.detect import detect
from auricle.tasks.timestamps.reference_times import measure_seconds, note_late_ends


@pytest.mark.parametrize(
    ("build", "column", "text"), [(detect, "events", {"label": "dog"}), (meeting, "segments", {"speaker": "anna"})]
)
def test_references_that_end_after_their_recordings_are_noted(
    tmp_path: Path, tone: Any, build: Any, column: str, text: dict[str, str]
) -> None:
    tone("a.wav", seconds=2.0)
    rows = [{"id": str(end), "audio": "a.wav", column: [{"start": 0, "end": end, **text}]} for end in (2.4, 60, 1e6)]
    (tmp_path / "rows.jsonl").write_text("\n".join(map(json.dumps, rows)))
    samples = build(data=str(tmp_path / "rows.jsonl")).samples
    assert isinstance(samples, Manifest)
    (note,) = samples.check()
    assert note.startswith("The reference ends after the recording in 2 of the first 3 rows")
    assert note.endswith("rows.jsonl:2: it ends at 60.0 s, the recording at 2.0 s.")


def test_a_missing_recording_has_no_duration_to_exceed(tmp_path: Path) -> None:
    sample = Sample(id="1", inputs={"audio": Audio(str(tmp_path / "none.wav"))})
    assert measure_seconds(sample) is None
    assert not list(note_late_ends([sample], lambda _: 60.0))
