from pathlib import Path

from auricle import api
from tests.support.framework_results import answer_texts, import_single, metric_values, write_open_asr


def test_times_in_the_manifest_give_the_speed(tmp_path: Path) -> None:
    run, _ = import_single(write_open_asr(tmp_path / "results"), "open-asr", tmp_path / "run")
    metrics = api.load_metrics(run.path)
    assert metrics["speed"]["rtfx"] == 8.0
    assert "Times come from the manifest" in metrics["notes"][0]


def test_chunks_of_a_long_recording_are_merged(tmp_path: Path) -> None:
    chunk = {"duration": 30.0, "time": 1.0, "text": "one two three", "parent_id": "talk"}
    rows = [
        {**chunk, "audio_filepath": "2", "pred_text": " three ", "chunk_index": 1},
        {**chunk, "audio_filepath": "1", "pred_text": "one two", "chunk_index": 0},
    ]
    run, _ = import_single(write_open_asr(tmp_path / "results", rows), "open-asr", tmp_path / "run")
    assert answer_texts(run) == ["one two three"]
    assert metric_values(run)["wer"] == 0
