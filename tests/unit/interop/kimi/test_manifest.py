import json
from pathlib import Path

import pytest

from auricle.core.types import RejectedRow, Sample
from auricle.runs.run_directory import Run
from tests.support.framework_results import text_of
from tests.unit.interop.kimi.evalkit_files import (
    CLASSES,
    DATASET_CLASS,
    VOCAL_QUESTION,
    build_kimi_task,
    evaluate_kimi_task,
    write_rows,
)

pytestmark = pytest.mark.usefixtures("evalkit_folder")


def test_a_model_gets_only_the_meta_of_a_row() -> None:
    row_with_meta = {"meta": {"accent": "usa"}, "subset": "one", "answer": "x", "audio_content": "secret"}
    write_rows("data/LibriSpeech/LibriSpeech.jsonl", [row_with_meta, {"subset": "two", "answer": "x"}])
    evaluate_kimi_task("LibriSpeech", model=f"kimi:{CLASSES}:Telling")
    records = sorted(Run.load(Path("out")).records(), key=lambda record: record.row)
    first, second = [json.loads(text_of(record.outputs[0]))["meta"] for record in records]
    assert second == {
        "task": "ASR",
        "interactive": "Audio-analysis",
        "audio_type": "Speech",
        "dataset_series": "LibriSpeech",
        "dataset_name": "LibriSpeech",
        "lang": "en",
        "subset": "two",
    }
    assert first == {**second, "subset": "one", "accent": "usa"}


def test_a_class_may_override_reading_and_prompts() -> None:
    Path("custom.py").write_text(
        DATASET_CLASS
        + """
    def load_data(self, dataset):
        print("reading", dataset)
        return [*super().load_data(dataset), {"index": 9, "audio_path": "gone.wav"}]

    def build_prompt(self, idx):
        msg = super().build_prompt(idx)
        msg["text"] = msg["text"].replace("Which", "What")
        msg["meta"]["turn"] = idx
        return msg
"""
    )
    write_rows("data/Mine/my-sounds.jsonl", [{"question": VOCAL_QUESTION, "answer": "Sigh", "subset": "s"}])
    sample, rejected = build_kimi_task("custom.py:Sounds").samples
    assert isinstance(sample, Sample)
    assert str(sample.inputs["question"]).startswith("What sound is it?")
    assert (sample.meta["subset"], sample.meta["meta"]) == ("s", {"turn": 0})
    assert isinstance(rejected, RejectedRow)
    assert "build_prompt of Sounds raised KeyError: 'question'" in rejected.reason
