"""The five kinds of task a manifest can be."""

from pathlib import Path
from typing import Any

import pytest

from auricle import Generation, Prediction, Sample, SpecError
from auricle.core.types import RejectedRow
from auricle.tasks.catalogue import TASKS
from auricle.tasks.inferencers import FirstSupported, Respond
from auricle.tasks.kinds import parse_options


def built(kind: Any, path: Any, **options: Any) -> Any:
    return TASKS.get(kind)(data=str(path), **options)


def first(kind: Any, path: Any, **options: Any) -> Any:
    made = built(kind, path, **options)
    return made, next(iter(made.samples))


def prompt(inferencer: Any, sample: Any) -> Any:
    ways = inferencer.inferencers if isinstance(inferencer, FirstSupported) else (inferencer,)
    (respond,) = [way for way in ways if isinstance(way, Respond)]
    return respond.request(sample).turns[-1].parts


def scores(made: Any, sample: Any, *outputs: Any) -> Any:
    return {metric.name: metric.score(sample, *outputs) for metric in made.metrics}


def test_transcription_is_asked_for_where_the_row_asks_nothing(manifest: Any) -> None:
    made, sample = first("asr", manifest([{"audio": "a.wav", "text": "hello"}]))
    sound, words = prompt(made.inferencer, sample)
    assert sound.uri.endswith("a.wav")
    assert words == "Please transcribe the spoken content into written text."


@pytest.mark.parametrize(
    ("language", "signatures"),
    [
        ("", ["wer:1.pooled.basic:1", "cer:1.pooled.basic:1"]),
        ("en", ["wer:1.pooled.whisper-en:1", "cer:1.pooled.whisper-en:1"]),
        ("zh", ["mer:1.pooled.zh:1", "cer:1.pooled.zh:1"]),
        ("ja", ["cer:1.pooled.chars:1"]),
    ],
)
def test_a_language_brings_its_metrics_and_profile(manifest: Any, language: str, signatures: Any) -> None:
    made = built("asr", manifest([]), language=language)
    assert [metric.signature for metric in made.metrics] == signatures


def test_a_profile_can_be_named(manifest: Any) -> None:
    made = built("asr", manifest([]), language="en", profile="none")
    assert made.metrics[0].signature == "wer:1.pooled.none:1"


def test_options_of_a_column_are_shown_with_letters(manifest: Any) -> None:
    row = {"question": "Which?", "choices": ["cat", "dog"], "answer": "dog"}
    made, sample = first("mcq", manifest([row]))
    assert prompt(made.inferencer, sample) == ("Which?\nA. cat\nB. dog\nAnswer with the letter of the right option.",)
    assert scores(made, sample, Generation(text="The answer is B.")) == {"option_accuracy": 1.0}
    assert scores(made, sample, Generation(text="cat")) == {"option_accuracy": 0.0}


def test_options_in_the_question_are_not_shown_twice(manifest: Any) -> None:
    row = {"question": "Which?\nA. cat\nB. dog", "answer": "B"}
    made, sample = first("mcq", manifest([row]))
    assert sample.inputs["choices"] == ["cat", "dog"]
    assert prompt(made.inferencer, sample)[0].count("cat") == 1
    assert scores(made, sample, Generation(text="dog")) == {"option_accuracy": 1.0}


@pytest.mark.parametrize(
    ("question", "options"),
    [
        ("What?\nA. dog\nB. cat\nC. (big) bird", ["dog", "cat", "(big) bird"]),
        ("What? (A) dog (B) cat (C) a bird", ["dog", "cat", "a bird"]),
        ("选哪个？A、狗 B、猫", ["狗", "猫"]),
        ("Which of A or B?", []),
        ("B. first\nA. second", []),
    ],
)
def test_options_are_found_in_a_question(question: str, options: Any) -> None:
    assert parse_options(question) == options


@pytest.mark.parametrize("answer", ["E", "parrot", 7])
def test_an_answer_that_is_no_option_rejects_the_row(manifest: Any, answer: Any) -> None:
    row = {"question": "Which?", "choices": ["cat", "dog"], "answer": answer}
    _, sample = first("mcq", manifest([row]))
    assert isinstance(sample, RejectedRow)
    assert "is none of the 2 options" in sample.reason


@pytest.mark.parametrize("answer", ["B", "b", "(B)", "dog", " Dog ", 1])
def test_an_answer_is_a_letter_a_text_or_a_place(manifest: Any, answer: Any) -> None:
    row = {"question": "Which?", "choices": ["cat", "dog"], "answer": answer}
    made, sample = first("mcq", manifest([row]))
    assert scores(made, sample, Generation(text="B")) == {"option_accuracy": 1.0}


def test_references_may_be_several(manifest: Any) -> None:
    made, sample = first("qa", manifest([{"question": "?", "answer": ["Paris", "the city of light"]}]))
    assert scores(made, sample, Generation(text="It is Paris.")) == {"exact_match": 0.0, "contains": 1.0}
    assert scores(made, sample, Generation(text="the City of Light!"))["exact_match"] == 1.0


def test_contained_means_whole_words(manifest: Any) -> None:
    made, sample = first("qa", manifest([{"question": "?", "answer": "no"}]))
    assert scores(made, sample, Generation(text="I notice it"))["contains"] == 0.0


def test_open_answers_need_no_target(manifest: Any) -> None:
    made, sample = first("open", manifest([{"question": "Tell me."}]))
    assert sample.target is None
    assert scores(made, sample, Generation(text=" ")) == {"empty": 1.0}


def test_labels_are_gathered_from_the_data_and_shown(manifest: Any) -> None:
    rows = [{"audio": "a.wav", "label": label} for label in ("sad", "angry", "sad")]
    made, sample = first("classify", manifest(rows))
    assert prompt(made.inferencer, sample)[-1].endswith("Answer with one of: angry, sad.")
    assert scores(made, sample, Generation(text="Sounds sad to me, not angry."))["accuracy"] == 1.0


def test_class_scores_are_read_as_their_highest(manifest: Any) -> None:
    made, sample = first("classify", manifest([{"audio": "a.wav", "label": "sad"}]), labels="sad,glad")
    output = Prediction(values={"sad": -1.0, "glad": -2.0}, scale="logit")
    assert scores(made, sample, output)["accuracy"] == 1.0


def test_dimensions_are_refused_by_name(manifest: Any) -> None:
    made, sample = first("classify", manifest([{"audio": "a.wav", "label": "sad"}]))
    with pytest.raises(SpecError, match="needs class scores"):
        scores(made, sample, Prediction(values={"valence": 0.2}, scale="continuous"))


def test_an_unknown_option_is_refused_with_those_that_exist(manifest: Any) -> None:
    with pytest.raises(SpecError, match=r"no option langauge\. Did you mean language\?"):
        built("asr", manifest([]), langauge="en")


def test_data_is_needed() -> None:
    with pytest.raises(SpecError, match="asr needs data"):
        TASKS.get("asr")()


def test_a_task_is_made_without_touching_its_data(tmp_path: Path) -> None:
    made = built("classify", tmp_path / "not-there.jsonl")
    assert made.name == "classify-not-there"


def test_metrics_can_be_named(manifest: Any) -> None:
    made = built("qa", manifest([]), metrics="bleu,chrf")
    assert [metric.name for metric in made.metrics] == ["bleu", "chrf"]


def test_the_demo_is_complete() -> None:
    made = TASKS.get("demo")()
    samples = list(made.samples)
    assert len(samples) >= 30
    assert all(isinstance(each, Sample) for each in samples)
    assert len({each.meta["subset"] for each in samples}) == 3
    assert all(each.inputs["audio"][0].seconds > 0.5 for each in samples)


@pytest.mark.parametrize(
    ("choices", "answer", "right"),
    [
        (["dog", "cat"], 1, "cat"),
        (["dog", "cat"], "1", "cat"),
        ([1, 2, 3], 2, "2"),
        ({"0": "dog", "1": "cat"}, "1", "cat"),
        ({"B": "cat", "A": "dog"}, "A", "dog"),
        (["A. dog", "B. cat"], "B. cat", "cat"),
        (["yes", "no"], "no", "no"),
    ],
)
def test_an_answer_means_the_same_however_it_is_told(manifest: Any, choices: Any, answer: Any, right: str) -> None:
    row = {"question": "Which?", "choices": choices, "answer": answer}
    made, sample = first("mcq", manifest([row]))
    assert scores(made, sample, Generation(text=right)) == {"option_accuracy": 1.0}


def test_options_that_carry_their_letters_show_them_once(manifest: Any) -> None:
    row = {"question": "Which?", "choices": ["A. a dog", "B. a cat"], "answer": "A"}
    made, sample = first("mcq", manifest([row]))
    assert "A. a dog\nB. a cat" in prompt(made.inferencer, sample)[0]


def test_more_options_than_letters_reject_the_row(manifest: Any) -> None:
    row = {"question": "Which?", "choices": [f"c{at}" for at in range(27)], "answer": "c3"}
    _, sample = first("mcq", manifest([row]))
    assert "27 options are more than there are letters" in sample.reason


@pytest.mark.parametrize(
    ("row", "reason"),
    [
        ({"audio_file": "a.wav", "text": "x"}, "nothing to ask about: no audio"),
        ({"audio": [], "text": "x"}, "nothing to ask about: no audio"),
        ({"audio": "a.wav", "text": ["x", "y"]}, "one transcript is due"),
        ({"audio": "a.wav", "text": True}, "one transcript is due"),
        ({"audio": {"bytes": "abc"}, "text": "x"}, "bytes are bytes, not str"),
    ],
)
def test_what_cannot_be_transcribed_rejects_the_row(manifest: Any, row: Any, reason: str) -> None:
    _, sample = first("asr", manifest([row]))
    assert reason in sample.reason


@pytest.mark.parametrize("language", ["zh-CN", "ZH", "zh_TW", "cmn"])
def test_a_language_is_known_by_any_of_its_codes(manifest: Any, language: str) -> None:
    assert built("asr", manifest([]), language=language).metrics[0].name == "mer"


@pytest.mark.parametrize(
    ("option", "words"),
    [
        ({"language": "English"}, "a code such as en"),
        ({"max_tokens": -5}, "a whole number from 1"),
        ({"max_tokens": "many"}, "a whole number from 1"),
        ({"prompt": {"a": 1}}, "The prompt has no a; it has system"),
        ({"metrics": "nope"}, "No metric called 'nope'"),
    ],
)
def test_a_wrong_option_is_refused_before_anything_runs(manifest: Any, option: Any, words: str) -> None:
    with pytest.raises(SpecError, match=words):
        built("asr", manifest([]), **option)


def test_a_number_where_text_is_due_is_taken_as_text(manifest: Any) -> None:
    assert built("asr", manifest([]), name=2024).name == "2024"


def test_a_plain_function_is_a_metric(manifest: Any, tmp_path: Path) -> None:
    file = tmp_path / "mine.py"
    file.write_text("def longer(sample, output):\n    return len(output.text)\n")
    (metric,) = built("qa", manifest([]), metrics=f"{file}:longer").metrics
    assert metric.name == "longer"
