"""What a number measures: reading, writing and comparing signatures."""

from dataclasses import replace

import pytest

from auricle.core.signature import MetricSignature, Signature
from auricle.text import PROFILES, get_profile

COMPLETE = "demo:1|manifest.jsonl@65db9992|Respond#bc9a|wer:1.pooled.whisper-en:1|whisper#a1b2|auricle 0.1.0"


@pytest.mark.parametrize(
    "text",
    [
        COMPLETE,
        "demo:1|a|b|c@1|Respond#bc9a|wer:1.pooled.basic:1|echo|auricle 0.1.0",
        "demo:1|local|Respond#bc9a|accuracy:2|echo|auricle 0.1.0",
        "demo:1|local|Respond#bc9a|quality:1.d1f2.by-gpt-4.1-mini|echo|auricle 0.1.0",
        "demo:1|local|Respond#bc9a|quality:1.d1f2.by-gpt-4.1.unreadable-wrong|echo|auricle 0.1.0",
        "demo:1|local|Respond#bc9a|ece:1.15-bins.no-synonyms|echo|auricle 0.1.0",
    ],
)
def test_a_signature_is_written_as_it_was_read(text: str) -> None:
    signature = Signature.parse(text)
    assert signature.is_complete
    assert str(signature) == text
    assert Signature.parse(str(signature)) == signature


def test_the_parts_of_a_signature_are_read() -> None:
    assert Signature.parse(COMPLETE) == Signature(
        MetricSignature("wer", 1, ("pooled", "whisper-en:1")),
        task="demo:1",
        revision="manifest.jsonl@65db9992",
        inferencer="Respond#bc9a",
        model="whisper#a1b2",
        auricle="auricle 0.1.0",
    )


def test_the_separator_may_occur_in_the_revision() -> None:
    signature = Signature.parse("demo:1|train|test@1|Respond#bc9a|wer:1|echo|auricle 0.1.0")
    assert (signature.task, signature.revision, signature.inferencer) == ("demo:1", "train|test@1", "Respond#bc9a")


def test_the_name_of_a_judge_may_contain_dots() -> None:
    metric = MetricSignature.parse("quality:1.d1f2.by-org/gpt-4.1-mini")
    assert (metric.judge, metric.options) == ("org/gpt-4.1-mini", ("d1f2",))


def test_the_policy_for_unreadable_answers_is_not_part_of_the_judge() -> None:
    metric = MetricSignature.parse("quality:1.d1f2.by-gpt-4.1.unreadable-wrong")
    assert (metric.judge, metric.unreadable_wrong) == ("gpt-4.1", True)
    assert not MetricSignature.parse("quality:1.d1f2.by-gpt-4.1").unreadable_wrong


@pytest.mark.parametrize("name", PROFILES)
def test_every_profile_is_recognised(name: str) -> None:
    assert MetricSignature.parse(f"wer:1.pooled.{get_profile(name).signature}").profile == name


def test_a_profile_is_not_mistaken_for_one_that_contains_its_name() -> None:
    assert MetricSignature.parse("cer:1.pooled.zh:1").profile == "zh"
    assert MetricSignature.parse("cer:1.pooled.kimi-zh:1").profile == "kimi-zh"


def test_a_metric_without_a_profile_has_none() -> None:
    assert MetricSignature.parse("accuracy:1").profile == ""


@pytest.mark.parametrize(("text", "uses_synonyms"), [("accuracy:1", True), ("ece:1.15-bins.no-synonyms", False)])
def test_the_treatment_of_synonyms_is_read(text: str, uses_synonyms: bool) -> None:
    assert MetricSignature.parse(text).uses_synonyms is uses_synonyms


@pytest.mark.parametrize("text", ["wer:1.pooled.basic:1", "not a signature", "", "a|b|c"])
def test_text_with_too_few_parts_is_an_incomplete_signature(text: str) -> None:
    signature = Signature.parse(text)
    assert not signature.is_complete
    assert str(signature) == text
    assert signature.explain_difference(Signature.parse(COMPLETE)) == "the signature is incomplete"


def test_numbers_of_different_models_and_versions_are_comparable() -> None:
    signature = Signature.parse(COMPLETE)
    other = replace(signature, model="moonshine", auricle="auricle 0.2.0")
    assert signature.differences(other) == ()
    assert signature.explain_difference(other) == ""


@pytest.mark.parametrize(
    ("part", "value", "reason"),
    [
        ("task", "demo:2", "different tasks: demo:1 and demo:2"),
        ("revision", "b@2", "different data: manifest.jsonl@65db9992 and b@2"),
        ("inferencer", "Respond#0000", "different prompts: Respond#bc9a and Respond#0000"),
        ("metric", MetricSignature("wer", 2), "different metrics: wer:1.pooled.whisper-en:1 and wer:2"),
    ],
)
def test_what_makes_numbers_incomparable_is_named(part: str, value: object, reason: str) -> None:
    signature = Signature.parse(COMPLETE)
    other: Signature = replace(signature, **{part: value})  # type: ignore[arg-type]
    assert signature.differences(other) == (part,)
    assert signature.explain_difference(other) == reason
