from pathlib import Path

from tests.support.framework_results import HYPOTHESES, failures, import_single, metric_values, write_jsonl, write_kimi


def test_a_null_prediction_is_a_failure(tmp_path: Path) -> None:
    path = write_kimi(tmp_path / "results", ["null", *HYPOTHESES[1:]])
    run, _ = import_single(path, "kimi", tmp_path / "run")
    ((kind, message),) = failures(run)
    assert kind == "NotAnswered"
    assert "60 s" in message


def test_multiple_choice_answers_in_words_are_scored(tmp_path: Path) -> None:
    row = {"index": 0, "audio_path": "a", "answer": "B", "prediction": "The answer is B.", "subset": "s"}
    row |= {"question": "What barks? A. cat B. dog", "real_prompt": ""}
    path = write_jsonl(tmp_path / "m" / "openbookqa" / "m_openbookqa.jsonl", [row])
    run, _ = import_single(path, "kimi", tmp_path / "run")
    assert metric_values(run)["option_accuracy"] == 1.0
