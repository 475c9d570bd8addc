"""Metrics of one judge or several."""

from pathlib import Path

import pytest

from auricle.core.errors import SpecError
from auricle.core.judge_roles import JudgeRole
from auricle.core.types import Generation, Record, Sample
from auricle.metrics.base import Metric
from auricle.metrics.catalogue import METRICS
from auricle.metrics.unread_judge import let_judge_read
from auricle.runs.usage import Price
from auricle.runs.verdicts import Judge, JudgeRequest, Verdict, build_judge_requests, encode_judges
from auricle.scoring.judge_panel import JudgePanel, format_reply
from auricle.tasks.speech.roles import QUALITY, RECOGNISER

JUDGES = (Judge("first", {}), Judge("second", {}))
RECORD = Record(sample=Sample(id="s1", inputs={"question": "?"}, target="x"), row=0, outputs=(Generation(text="x"),))


def write_verdicts(path: Path, metric: Metric, replies: dict[str, str]) -> None:
    lines = [encode_judges(JUDGES)]
    for judge in JUDGES:
        for request in build_judge_requests(judge, metric, RECORD):
            reply = Generation(text=replies[judge.name], tokens=1000, input_tokens=2000)
            lines.append(
                Verdict(
                    JudgeRequest(request.key, "s1", metric.name, request.request), judge.name, reply, None, 1.0
                ).to_json_line()
            )
    path.write_bytes(b"".join(lines))


def test_one_judge_is_part_of_the_signature_of_metrics_and_companions(tmp_path: Path) -> None:
    wer, judged = METRICS.get("wer"), METRICS.get("judge-reference")
    with JudgePanel(tmp_path / "verdicts.jsonl", JUDGES[:1], {}) as panel:
        expanded = panel.expand([wer, judged])
    assert [metric.name for metric in expanded] == [
        *("wer", "judge-reference", "judge-reference.kappa", "judge-reference.corrected")
    ]
    assert expanded[0] is wer
    assert all(metric.signature.endswith(".by-first") for metric in expanded[1:])


def test_several_judges_share_a_metric_and_have_one_each(tmp_path: Path) -> None:
    judged = METRICS.get("judge-reference")
    path = tmp_path / "verdicts.jsonl"
    write_verdicts(path, judged, {"first": "Verdict: yes", "second": "Verdict: no"})
    with JudgePanel(path, JUDGES, {"second": Price("m", input=1.0, output=2.0)}) as panel:
        expanded = {metric.name: metric for metric in panel.expand([judged])}
        assert list(expanded) == [
            *("judge-reference", "judge-reference.kappa", "judge-reference.corrected", "judge-reference.alpha"),
            *("judge-reference.by-first", "judge-reference.by-second"),
        ]
        replies = [panel.read_replies(expanded[f"judge-reference.by-{name}"], RECORD) for name in ("first", "second")]
        assert replies == [("Verdict: yes",), ("Verdict: no",)]
        first, second = panel.to_facts()
    assert expanded["judge-reference"].derived_from == ("judge-reference.by-first", "judge-reference.by-second")
    assert expanded["judge-reference"].signature.endswith(".by-first+second")
    assert expanded["judge-reference.by-second"].title == "judge-reference (second)"
    assert (first.cost, second.currency) == (None, "USD")
    assert second.cost == pytest.approx(0.004)


def test_companions_are_named_after_their_metric(tmp_path: Path) -> None:
    judged = METRICS.get("judge-reference")
    renamed = Metric(
        "mine", judged.score, judged.aggregate, judge_requests=judged.judge_requests, companions=judged.companions
    )
    with JudgePanel(tmp_path / "verdicts.jsonl", JUDGES[:1], {}) as panel:
        _, *companions = panel.expand([renamed])
    assert [(metric.name, metric.derived_from) for metric in companions] == [
        ("mine.kappa", ("mine",)),
        ("mine.corrected", ("mine",)),
    ]


def test_the_judge_of_unread_replies_stands_in_the_signatures_of_their_metrics_alone(tmp_path: Path) -> None:
    option_accuracy, judged = let_judge_read(METRICS.get("option_accuracy")), METRICS.get("judge-reference")
    reader = Judge("reader", {}, role=JudgeRole.UNREAD)
    with JudgePanel(tmp_path / "verdicts.jsonl", [reader, JUDGES[0]], {}) as panel:
        first, second, *_ = panel.expand([option_accuracy, judged])
        assert [facts.role for facts in panel.to_facts()] == ["unread", "judge"]
    assert first.signature == "option_accuracy:5.judge-unread-v1.by-reader.unreadable-wrong"
    assert second.signature.endswith(".by-first")


def test_metrics_that_score_answers_need_a_judge_beside_the_one_of_unread_replies(tmp_path: Path) -> None:
    judged = METRICS.get("judge-reference")
    with JudgePanel(tmp_path / "verdicts.jsonl", [Judge("reader", {}, role=JudgeRole.UNREAD)], {}) as panel:
        assert panel.expand([judged]) == [judged]
        with pytest.raises(SpecError, match="needs a judge"):
            panel.read_replies(judged, RECORD)
        assert panel.damaged == []


def test_companions_that_need_labels_are_left_out_without_any(tmp_path: Path) -> None:
    judged = METRICS.get("judge-reference")
    for judges in (JUDGES[:1], JUDGES):
        with JudgePanel(tmp_path / "verdicts.jsonl", judges, {}) as panel:
            names = [metric.name for metric in panel.expand([judged], has_labels=False)]
        assert "judge-reference.corrected" not in names
        assert ("judge-reference.alpha" in names) == (len(judges) > 1)


def test_several_recognisers_have_a_number_each_and_their_agreement(tmp_path: Path) -> None:
    recognisers = [Judge(name, {}, RECOGNISER, version="2.0") for name in ("big", "small")]
    metric = METRICS.get("round_trip_wer")
    with JudgePanel(tmp_path / "verdicts.jsonl", recognisers, {}) as panel:
        first, second, agreement = panel.expand([metric])
    assert [first.name, second.name] == ["round_trip_wer.by-big", "round_trip_wer.by-small"]
    assert first.signature.endswith("pooled.basic:2.by-big@2.0")
    assert agreement.name == "round_trip_wer.rank_agreement"
    assert agreement.derived_from == (first.name, second.name)
    assert agreement.signature.endswith(".mean-spearman.by-big@2.0+small@2.0")


def test_quality_models_serve_the_metrics_named_after_them(tmp_path: Path) -> None:
    metrics = [METRICS.get("dnsmos_ovrl"), METRICS.get("plcmos")]
    with JudgePanel(tmp_path / "verdicts.jsonl", [Judge("plcmos", {}, QUALITY)], {}) as panel:
        overall, plcmos = panel.expand(metrics)
        assert plcmos.signature == "plcmos:1.plcmos.by-plcmos"
        need = r"^needs a quality model: auricle score RUN --quality-model dnsmos$"
        with pytest.raises(SpecError, match=need):
            panel.read_replies(overall, RECORD)


def test_numbers_are_formatted_with_their_names() -> None:
    assert format_reply("a transcript") == "a transcript"
    assert format_reply({"sig": 3.456789, "bak": 4.0}) == "sig 3.457, bak 4"
