"""A gate as text, Markdown and JUnit XML."""

import re
from dataclasses import replace
from xml.etree import ElementTree as ET

from auricle.report.gate_formats import MARKER, explain_undecided, format_gate, to_junit, to_markdown
from auricle.scoring.gate import Gate, Margin, decide
from tests.support.gates import make_comparison, make_row

ROWS = [
    make_row(0.02),
    make_row(0.001, metric="cer", detectable=0.014),
    make_row(-0.3, 0.1, metric="mos", higher_is_better=False, unit=""),
]


def make_gate() -> Gate:
    return decide(make_comparison(ROWS), [Margin("cer", 0.5)])


def test_the_text_has_a_table_and_a_sentence() -> None:
    lines = list(format_gate(make_gate()))
    assert lines[:2] == ["baseline   runs/old", "candidate  runs/new"]
    assert any("wer ↓" in line and "+2.00 pp" in line and line.endswith("worse") for line in lines)
    assert "The candidate is worse than the baseline: wer." in lines
    assert re.search(r"cer: about 7\d\d pairs would show a difference of 0.50 pp with 80 % power", "\n".join(lines))


def test_every_form_states_the_method_and_the_units_of_an_interval() -> None:
    row = make_row(0.02, units=12, cluster="speaker", method="cluster-paired-t")
    gate = decide(make_comparison([row]))
    for form in ("\n".join(format_gate(gate)), to_markdown(gate), to_junit(gate).decode()):
        assert "paired t, 12 speakers" in form


def test_buckets_are_not_counted_as_data() -> None:
    row = make_row(0.001, method="bucket-paired-t", detectable=0.014)
    (result,) = decide(make_comparison([row]), [Margin("", 0.5)]).results
    assert explain_undecided(result).startswith("wer: about 7.7 times as much data would show")


def test_failures_are_part_of_the_text() -> None:
    gate = decide(make_comparison([make_row(-0.05)], answered=10))
    lines = list(format_gate(gate))
    assert lines[-2:] == [
        "Failed: The candidate answered 10 of 100 samples (10.0 %); at least 95 % are required.",
        "The candidate does not pass.",
    ]


def test_markdown_has_a_marker_and_escapes_texts() -> None:
    gate = replace(make_gate(), notes=("@team | see `x`",), candidate="runs/`new`")
    page = to_markdown(gate)
    assert page.startswith(f"{MARKER}\n### ❌ The candidate is worse than the baseline: wer.\n")
    assert page.count("\n| ") == 1 + len(ROWS)
    assert "- Note: &#64;team \\| see \\`x\\`" in page
    assert "candidate: `runs/'new'`" in page


def test_junit_has_a_case_per_verdict() -> None:
    gate = replace(make_gate(), failures=("Too few\x00 samples.",))
    root = ET.fromstring(to_junit(gate))
    suite = root[0]
    assert suite.attrib == {"name": "auricle gate", "tests": "4", "failures": "3", "errors": "0", "skipped": "0"}
    outcomes = [(case.attrib["name"], case[0].tag) for case in suite]
    assert outcomes == [("wer", "failure"), ("cer", "failure"), ("mos", "system-out"), ("requirements", "failure")]
    assert suite[3][0].attrib["message"] == "Too few samples."
    suite = ET.fromstring(to_junit(gate, allow_undecided=True))[0]
    assert (suite.attrib["failures"], suite.attrib["skipped"], suite[1][0].tag) == ("2", "1", "skipped")
