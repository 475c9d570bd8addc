from pathlib import Path

import pytest

from auricle.core.errors import DataError
from tests.support.framework_results import cmi_rows, failures, import_single, metric_values, write_cmi


def test_silence_in_place_of_missing_audio_is_a_failure(tmp_path: Path) -> None:
    rows = cmi_rows()
    rows[0] |= {"inference_valid_a": False, "inference_error": "audio_not_found:p0.wav"}
    run, _ = import_single(write_cmi(tmp_path / "results", rows), "cmi", tmp_path / "run")
    assert failures(run) == [("NotAnswered", "audio_not_found:p0.wav")]


def test_rewards_are_scored_like_runs_of_the_benchmark(tmp_path: Path) -> None:
    run, _ = import_single(write_cmi(tmp_path / "results"), "cmi", tmp_path / "run")
    values = metric_values(run)
    assert values["srcc.musicality"] == pytest.approx(0.5)  # of three ratings, one is out of order
    assert values["accuracy.preference"] == 1.0
    assert values["accuracy.alignment"] == 0.0


def test_a_file_with_two_splits_is_rejected(tmp_path: Path) -> None:
    rows = cmi_rows()
    rows[0] |= {"split": "train"}
    with pytest.raises(DataError, match="several splits: test, train"):
        import_single(write_cmi(tmp_path / "results", rows), "cmi", tmp_path / "run")
