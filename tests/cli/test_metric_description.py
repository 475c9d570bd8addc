"""`auricle list metrics NAME`: the reference of a metric."""

import json

import pytest
from click.testing import CliRunner

from auricle.cli import cli
from auricle.cli.metric_description import describe_name, format_description
from auricle.core.errors import UnknownName


def test_a_metric_is_described_with_its_formula_and_facts() -> None:
    lines = list(format_description(describe_name("metrics", "wer")))
    assert lines[0] == "wer: word error rate, pooled over all samples"
    assert "better              lower" in lines
    assert any("rate = (S + D + I) / N" in line for line in lines)
    assert any(line.startswith("  empty answer: ") for line in lines)
    assert max(map(len, "\n".join(lines).splitlines())) <= 120


def test_json_has_all_fields() -> None:
    document = json.loads(CliRunner().invoke(cli, ["list", "metrics", "eer", "--json"]).output)
    assert document["facts"]["better"] == "lower"
    assert document["interval"].startswith("`wilson-bias`")
    assert document["edges"]["no targets, or only targets"] == "undefined (NaN)"


def test_a_set_is_described_by_its_members() -> None:
    document = describe_name("metrics", "long_form")
    assert list(document["members"]) == ["segment_wer_mean", "lost_segments"]
    assert list(format_description(document))[1].split() == ["segment_wer_mean", "Mean", "WER", "of", "segments"]


def test_an_unknown_metric_is_refused_with_the_nearest_name() -> None:
    with pytest.raises(UnknownName, match="Did you mean wer"):
        describe_name("metrics", "wre")


def test_other_kinds_have_no_descriptions() -> None:
    result = CliRunner().invoke(cli, ["list", "models", "whisper"])
    assert result.exit_code == 2
    assert "Run: auricle list models" in result.output
