"""Tests of the task kinds for your own data."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from auricle import Generation, Prediction, Sample, SpecError
from auricle.core.types import RejectedRow
from auricle.data.file_formats import Row
from auricle.engine.catalogue import TASKS
from auricle.engine.inferencers import FirstSupported, Respond
from auricle.metrics.capabilities import Restricted
from auricle.tasks.asr.kind import asr
from auricle.tasks.questions.multiple_choice import parse_options


def build(kind: Any, path: Any, **options: Any) -> Any:
    return TASKS.get(kind)(data=str(path), **options)


def build_first(kind: Any, path: Any, **options: Any) -> Any:
    task = build(kind, path, **options)
    return task, next(iter(task.samples))


def prompt(inferencer: Any, sample: Any) -> Any:
    inferencers = inferencer.inferencers if isinstance(inferencer, FirstSupported) else (inferencer,)
    (respond,) = [candidate for candidate in inferencers if isinstance(candidate, Respond)]
    return respond.request(sample).turns[-1].parts


def scores(task: Any, sample: Any, *outputs: Any) -> Any:
    return {metric.name: metric.score(sample, *outputs) for metric in task.metrics}


def test_asr_asks_for_a_transcript_by_default(manifest: Any) -> None:
    task, sample = build_first("asr", manifest([{"audio": "a.wav", "text": "hello"}]))
    audio, question = prompt(task.inferencer, sample)
    assert audio.uri.endswith("a.wav")
    assert question == "Please transcribe the spoken content into written text."


@pytest.mark.parametrize(
    ("language", "signatures"),
    [
        ("", ["wer:1.pooled.basic:2", "cer:2.pooled.basic:2"]),
        ("en", ["wer:1.pooled.whisper-en:2", "cer:2.pooled.whisper-en+spelled:2"]),
        ("zh", ["mer:1.pooled.zh:2", "cer:2.pooled.zh:2"]),
        ("ja", ["cer:2.pooled.chars:2"]),
        ("ko", ["cer:2.pooled.basic:2", "wer:1.pooled.basic:2"]),
        ("tr", ["wer:1.pooled.basic+turkish:2", "cer:2.pooled.basic+turkish:2"]),
    ],
)
def test_the_language_selects_metrics_and_profile(manifest: Any, language: str, signatures: Any) -> None:
    task = build("asr", manifest([]), language=language)
    assert [metric.signature for metric in task.metrics] == signatures


def test_a_profile_can_be_selected(manifest: Any) -> None:
    task = build("asr", manifest([]), language="en", profile="none")
    assert task.metrics[0].signature == "wer:1.pooled.none:1"


def test_options_of_a_column_are_shown_with_letters(manifest: Any) -> None:
    row = {"question": "Which?", "choices": ["cat", "dog"], "answer": "dog"}
    task, sample = build_first("mcq", manifest([row]))
    assert prompt(task.inferencer, sample) == ("Which?\nA. cat\nB. dog\nAnswer with the letter of the right option.",)
    assert scores(task, sample, Generation(text="The answer is B.")) == {"option_accuracy": 1.0}
    assert scores(task, sample, Generation(text="cat")) == {"option_accuracy": 0.0}


def test_options_in_the_question_are_not_shown_twice(manifest: Any) -> None:
    row = {"question": "Which?\nA. cat\nB. dog", "answer": "B"}
    task, sample = build_first("mcq", manifest([row]))
    assert sample.inputs["choices"] == ["cat", "dog"]
    assert prompt(task.inferencer, sample)[0].count("cat") == 1
    assert scores(task, sample, Generation(text="dog")) == {"option_accuracy": 1.0}


@pytest.mark.parametrize(
    ("question", "options"),
    [
        ("What?\nA. dog\nB. cat\nC. (big) bird", ["dog", "cat", "(big) bird"]),
        ("What? (A) dog (B) cat (C) a bird", ["dog", "cat", "a bird"]),
        ("选哪个？A、狗 B、猫", ["狗", "猫"]),
        ("What?\n(A) dog\n(B) wild cat\n.Answer with the letter.", ["dog", "wild cat"]),
        ("Which of A or B?", []),
        ("B. first\nA. second", []),
    ],
)
def test_options_are_parsed_from_a_question(question: str, options: Any) -> None:
    assert parse_options(question) == options


@pytest.mark.parametrize("answer", ["E", "parrot", 7])
def test_an_answer_that_is_not_an_option_rejects_the_row(manifest: Any, answer: Any) -> None:
    row = {"question": "Which?", "choices": ["cat", "dog"], "answer": answer}
    _, sample = build_first("mcq", manifest([row]))
    assert isinstance(sample, RejectedRow)
    assert "is not one of the 2 options" in sample.reason


@pytest.mark.parametrize("answer", ["B", "b", "(B)", "dog", " Dog "])
def test_an_answer_may_be_a_letter_or_a_text(manifest: Any, answer: Any) -> None:
    row = {"question": "Which?", "choices": ["cat", "dog"], "answer": answer}
    task, sample = build_first("mcq", manifest([row]))
    assert scores(task, sample, Generation(text="B")) == {"option_accuracy": 1.0}


def test_any_of_several_references_is_accepted(manifest: Any) -> None:
    task, sample = build_first("qa", manifest([{"question": "?", "answer": ["Paris", "the city of light"]}]))
    assert scores(task, sample, Generation(text="It is Paris.")) == {"exact_match": 0.0, "contains": 1.0}
    assert scores(task, sample, Generation(text="the City of Light!"))["exact_match"] == 1.0


def test_contains_matches_whole_words(manifest: Any) -> None:
    task, sample = build_first("qa", manifest([{"question": "?", "answer": "no"}]))
    assert scores(task, sample, Generation(text="I notice it"))["contains"] == 0.0


def test_open_answers_need_no_target(manifest: Any) -> None:
    task, sample = build_first("open", manifest([{"question": "Explain."}]))
    assert sample.target is None
    assert scores(task, sample, Generation(text=" ")) == {"empty": 1.0}


def test_labels_are_collected_from_the_data(manifest: Any) -> None:
    rows = [{"audio": "a.wav", "label": label} for label in ("sad", "angry", "sad")]
    task, sample = build_first("classify", manifest(rows))
    assert prompt(task.inferencer, sample)[-1].endswith("Answer with one of: angry, sad.")
    assert scores(task, sample, Generation(text="Sounds sad to me, not angry."))["accuracy"] == 1.0


def test_the_highest_class_score_is_the_answer(manifest: Any) -> None:
    task, sample = build_first("classify", manifest([{"audio": "a.wav", "label": "sad"}]), labels="sad,glad")
    output = Prediction(values={"sad": -1.0, "glad": -2.0}, scale="logit")
    assert scores(task, sample, output)["accuracy"] == 1.0


@pytest.mark.parametrize("kind", ["classify", "emotion"])
def test_labels_are_scored_by_weighted_precision_and_recall_beside_f1(manifest: Any, kind: str) -> None:
    task = build(kind, manifest([{"audio": "a.wav", "label": "sad"}]))
    names = [metric.name for metric in task.metrics]
    first = names.index("weighted_f1")
    assert names[first : first + 3] == ["weighted_f1", "weighted_precision", "weighted_recall"]


def test_scores_of_dimensions_are_not_class_scores(manifest: Any) -> None:
    task, sample = build_first("classify", manifest([{"audio": "a.wav", "label": "sad"}]))
    with pytest.raises(SpecError, match="needs class scores"):
        scores(task, sample, Prediction(values={"valence": 0.2}, scale="continuous"))


def test_a_task_is_built_without_reading_its_data(tmp_path: Path) -> None:
    task = build("classify", tmp_path / "not-there.jsonl")
    assert task.name == "classify-not-there"


def test_metrics_can_be_selected(manifest: Any) -> None:
    task = build("qa", manifest([]), metrics="bleu,chrf")
    assert [metric.name for metric in task.metrics] == ["bleu", "chrf"]


@pytest.mark.parametrize(
    ("choices", "answer", "correct"),
    [
        ([1, 2, 3], 2, "2"),
        ({"0": "dog", "1": "cat"}, "1", "cat"),
        ({"B": "cat", "A": "dog"}, "A", "dog"),
        (["A. dog", "B. cat"], "B. cat", "cat"),
        (["yes", "no"], "no", "no"),
    ],
)
def test_options_and_answers_are_accepted_in_several_forms(
    manifest: Any, choices: Any, answer: Any, correct: str
) -> None:
    row = {"question": "Which?", "choices": choices, "answer": answer}
    task, sample = build_first("mcq", manifest([row]))
    assert scores(task, sample, Generation(text=correct)) == {"option_accuracy": 1.0}


def test_letters_in_options_are_not_repeated(manifest: Any) -> None:
    row = {"question": "Which?", "choices": ["A. a dog", "B. a cat"], "answer": "A"}
    task, sample = build_first("mcq", manifest([row]))
    assert "A. a dog\nB. a cat" in prompt(task.inferencer, sample)[0]


def test_more_options_than_letters_reject_the_row(manifest: Any) -> None:
    row = {"question": "Which?", "choices": [f"c{index}" for index in range(27)], "answer": "c3"}
    _, sample = build_first("mcq", manifest([row]))
    assert "too many options: 27" in sample.reason


@pytest.mark.parametrize(
    ("row", "reason"),
    [
        ({"audio_file": "a.wav", "text": "x"}, "no audio"),
        ({"audio": [], "text": "x"}, "no audio"),
        ({"audio": "a.wav", "text": ["x", "y"]}, "expected one transcript"),
        ({"audio": "a.wav", "text": True}, "expected one transcript"),
        ({"audio": {"bytes": "abc"}, "text": "x"}, "must be bytes, not str"),
    ],
)
def test_rows_without_audio_or_a_single_transcript_are_rejected(manifest: Any, row: Any, reason: str) -> None:
    _, sample = build_first("asr", manifest([row]))
    assert reason in sample.reason


def test_a_function_in_a_file_is_a_metric(manifest: Any, tmp_path: Path) -> None:
    file = tmp_path / "mine.py"
    file.write_text("def longer(sample, output):\n    return len(output.text)\n")
    (metric,) = build("qa", manifest([]), metrics=f"{file}:longer").metrics
    assert metric.name == "longer"


def test_streamed_recognition_has_the_metrics_of_streaming_besides_its_own(manifest: Any) -> None:
    data = str(manifest([{"audio": "a.wav", "text": "hello"}]))
    metrics = {metric.name: metric for metric in asr(data=data, language="en", inferencer="stream-audio").metrics}
    assert {"wer", "cer", "first_partial_delay", "wer_at_500ms"} <= metrics.keys()
    assert isinstance(metrics["first_partial_delay"], Restricted)
    assert [metric.name for metric in asr(data=data, inferencer="stream-audio", metrics="wer").metrics] == ["wer"]


@pytest.mark.parametrize(
    ("data", "root", "uri"),
    [
        ("s3://bucket/data/rows.jsonl", "", "s3://bucket/data/a.wav"),
        ("s3://bucket/data/rows.jsonl", "s3://other/sounds", "s3://other/sounds/a.wav"),
        ("s3://bucket/data/rows.jsonl", "/sounds", "/sounds/a.wav"),
        ("local/rows.jsonl", "https://host/sounds", "https://host/sounds/a.wav"),
    ],
)
def test_sounds_are_relative_to_the_data_or_to_the_root(data: str, root: str, uri: str) -> None:
    samples: Any = asr(data=data, root=root).samples
    folder = data.rpartition("/")[0]
    sample = samples.make_sample(0, Row("rows.jsonl:1", {"audio": "a.wav", "text": "x"}, folder))
    assert sample.inputs["audio"][0].uri == uri


def test_a_folder_of_files_is_read_in_order(tmp_path: Path) -> None:
    for name, text in (("b", "two"), ("a", "one")):
        (tmp_path / f"{name}.jsonl").write_text(f'{{"audio": "{name}.wav", "text": "{text}"}}', encoding="utf-8")
    task = asr(data=f"{tmp_path}/")
    assert [sample.target for sample in task.samples if isinstance(sample, Sample)] == ["one", "two"]


@pytest.mark.parametrize(
    ("data", "name"),
    [
        ("folder/speech.v2.jsonl", "asr-speech.v2"),
        ("s3://bucket/speech/", "asr-speech"),
        ("s3://bucket/shard-{000000..000999}.tar", "asr-shard"),
        ("data/part-*.jsonl", "asr-part"),
        ("data/*.jsonl", "asr-data"),
        ("https://host/a.tar?X-Amz-Signature=0123456789.abc", "asr-a"),
    ],
)
def test_a_task_is_named_after_its_data(data: str, name: str) -> None:
    assert asr(data=data).name == name
