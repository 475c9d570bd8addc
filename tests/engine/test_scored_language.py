"""The language by which a task is scored."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from auricle import Generation, SpecError
from auricle.data import ColumnMapping, Manifest
from auricle.engine.catalogue import TASKS
from auricle.engine.scored_language import ScoredLanguage, read_language
from auricle.tasks.asr.kind import transcript_metrics

COLUMNS = ColumnMapping(target_columns=("text",), requires_media=True)
THAI = "วันนี้อากาศดีมาก"


def build(kind: str, path: Path, **options: Any) -> Any:
    return TASKS.get(kind)(data=str(path), **options)


def rows_of(*texts: str, **columns: Any) -> list[dict[str, Any]]:
    return [{"audio": "a.wav", "text": text, "translation": text, **columns} for text in texts]


def signatures(task: Any) -> list[str]:
    return [metric.signature for metric in task.metrics]


@pytest.mark.parametrize(
    ("text", "code", "expected"),
    [
        ("今天天气很好", "zh", ["mer:1.pooled.zh:2", "cer:2.pooled.zh:2"]),
        ("今日は天気がいい", "ja", ["cer:2.pooled.chars:2"]),
        (THAI, "th", ["cer:2.pooled.chars:2"]),
        ("오늘은 날씨가 좋네요", "ko", ["cer:2.pooled.basic:2", "wer:1.pooled.basic:2"]),
        ("我想听 Hello Kitty", "zh-mixed", ["mer:1.pooled.mixed:2", "cer:2.pooled.mixed:2"]),
        ("צה״ל הודיע", "he", ["wer:1.pooled.basic+gershayim:2", "cer:2.pooled.basic+gershayim:2"]),
        ("ニュースを見る new words here", "ja-mixed", ["mer:1.pooled.basic:2", "cer:2.pooled.basic:2"]),
        ("Guten Tag", "und", ["wer:1.pooled.basic:2", "cer:2.pooled.basic:2"]),
    ],
)
def test_without_a_language_the_script_of_the_references_decides(
    manifest: Any, text: str, code: str, expected: list[str]
) -> None:
    task = build("asr", manifest(rows_of(text)))
    assert signatures(task) == expected
    assert task.derived_args == {"scored_as": code}
    assert task.language == ""  # what models receive is what the user states
    assert [code in note for note in task.notes("m", {})] == ([] if code == "und" else [True])


def test_rows_of_several_scripts_are_counted_each_in_its_own_unit(manifest: Any) -> None:
    texts = ["hello how are you", "今天天气很好", "今日は天気がいい", THAI]
    task = build("asr", manifest(rows_of(*texts)))
    mer = task.metrics[0]
    assert mer.signature == "mer:1.pooled.basic:2"
    lengths = [mer.details([mer.score(sample, Generation(text=""))])["reference_length"] for sample in task.samples]
    assert lengths == [4, 6, 8, 16]
    assert task.derived_args == {"scored_as": "und-mixed"}
    (note,) = task.notes("m", {})
    assert "written in several languages without spaces between words" in note
    assert "scored as und-mixed, by character or word as each script requires" in note


def test_a_right_answer_in_a_script_without_spaces_is_right(manifest: Any) -> None:
    task = build("asr", manifest(rows_of(THAI, "ฉันดื่มน้ำเย็น")))
    answers = [Generation(text="วันนี้ อากาศ ดี มาก"), Generation(text="ฉันดื่มน้ำร้อน")]
    (cer,) = task.metrics
    stats = [cer.score(sample, answer) for sample, answer in zip(task.samples, answers, strict=True)]
    assert 0 < cer.aggregate(stats) < 0.2


def test_the_note_states_the_reason_and_how_to_change_it(manifest: Any) -> None:
    (note,) = build("asr", manifest(rows_of("今天天气很好"))).notes("m", {})
    assert note == (
        "The references are written in Chinese and no single language was given, so by default they are scored as zh. "
        "Change it with -T scored_as=CODE."
    )


@pytest.mark.parametrize("options", [{"language": "en"}, {"scored_as": "en"}, {"scored_as": "en", "language": "ja"}])
def test_a_stated_language_always_wins(manifest: Any, options: dict[str, str]) -> None:
    task = build("asr", manifest(rows_of("今天天气很好", language="zh")), **options)
    assert signatures(task)[0] == "wer:1.pooled.whisper-en:2"
    assert not task.derived_args
    assert task.notes("m", {}) == []


def test_several_languages_are_not_a_statement(manifest: Any) -> None:
    task = build("asr", manifest(rows_of("今天天气很好", "good morning to all of you")), language="en,zh")
    assert task.derived_args == {"scored_as": "zh-mixed"}


def test_neither_rows_nor_their_order_change_the_decision(manifest: Any) -> None:
    texts = ["今天天气很好", *["only a few words"] * 2]
    decisions = {
        build("asr", manifest(rows_of(*order)), rows=selected).derived_args["scored_as"]
        for order in (texts, texts[::-1])
        for selected in ("", "[:1]", "[2:]")
    }
    assert decisions == {"zh-mixed"}


@pytest.mark.parametrize("stated", ["en", "English", "en-US", "eng"])
def test_a_column_states_the_language_of_all_rows(manifest: Any, stated: str) -> None:
    rows = [*rows_of("hello", language=stated), {**rows_of("you")[0], "meta": {"language": stated}}]
    task = build("asr", manifest(rows))
    assert signatures(task)[0] == "wer:1.pooled.whisper-en:2"
    (note,) = task.notes("m", {})
    assert note.startswith("All rows have the language en and no single language was given")


@pytest.mark.parametrize("languages", [("en", "zh"), ("en", None), ("L1", "L1"), ("xx", "xx")])
def test_a_column_that_is_not_one_language_decides_nothing(manifest: Any, languages: tuple[Any, Any]) -> None:
    rows = [{**row, "language": language} for row, language in zip(rows_of("hello", "you"), languages, strict=True)]
    assert build("asr", manifest(rows)).derived_args == {"scored_as": "und"}


def test_translations_use_the_tokeniser_of_their_script(manifest: Any) -> None:
    task = build("translate", manifest(rows_of("今天天气很好", language="en")))
    assert signatures(task) == ["bleu:1.sacrebleu.tok:zh", "chrf:1.sacrebleu.c6w0.space:no"]
    assert task.derived_args == {"scored_as": "zh"}
    stated = build("translate", manifest(rows_of("今天天气很好", target_language="th")))
    assert signatures(stated)[0] == "bleu:1.sacrebleu.tok:char"
    assert signatures(build("translate", manifest(rows_of("hello")), language="zh"))[0] == "bleu:1.sacrebleu.tok:zh"


def test_other_kinds_read_the_script_only_for_metrics_that_need_it(manifest: Any) -> None:
    path = manifest([{"question": "x", "answer": "今天天气很好"}])
    assert signatures(build("qa", path, metrics="bleu,exact_match")) == [
        "bleu:1.sacrebleu.tok:zh",
        "exact_match:1.zh:2",
    ]
    assert signatures(build("qa", path)) == ["exact_match:1.basic:2", "contains:1.basic:2"]


def test_all_of_several_references_and_numbers_are_read(manifest: Any) -> None:
    rows = [{"audio": "a.wav", "translation": ["今天天气很好", "今天很好"]}, {"audio": "a.wav", "translation": 7}]
    assert build("translate", manifest(rows)).derived_args == {"scored_as": "zh"}


def test_data_that_cannot_be_read_decide_nothing(tmp_path: Path) -> None:
    task = build("asr", tmp_path / "missing.jsonl")
    assert not task.derived_args
    assert signatures(task) == ["wer:1.pooled.basic:2", "cer:2.pooled.basic:2"]


def test_broken_rows_are_left_out(tmp_path: Path) -> None:
    path = tmp_path / "rows.jsonl"
    path.write_text('{"text": "今天天气很好"}\nnot json\n{"audio": "a.wav"}\n', encoding="utf-8")
    assert read_language(lambda: Manifest(path, COLUMNS), "language").code == "zh"
    path.write_text("", encoding="utf-8")
    assert read_language(lambda: Manifest(path, COLUMNS), "language") == ScoredLanguage()


@pytest.mark.parametrize("code", ["Chinese", "zh-CN", 7])
def test_an_invalid_code_is_refused(manifest: Any, code: Any) -> None:
    with pytest.raises(SpecError, match=r"Invalid scored_as .*: expected a language code such as zh"):
        build("asr", manifest([]), scored_as=code)


@pytest.mark.parametrize(
    ("code", "profile"),
    [
        ("tr", "basic+turkish"),
        ("az", "basic+turkish"),
        ("ca", "basic+catalan"),
        ("yue", "zh"),
        ("km", "chars"),
        ("de", ""),
    ],
)
def test_languages_have_profiles(code: str, profile: str) -> None:
    assert ScoredLanguage(code).profile == profile


def test_a_decision_is_not_a_statement() -> None:
    scored = ScoredLanguage("zh-mixed", "why", is_read=True)
    assert (scored.language, scored.profile, transcript_metrics(scored)) == ("zh", "mixed", ("mer", "cer"))
    assert replace(scored, code="und").language == ""
