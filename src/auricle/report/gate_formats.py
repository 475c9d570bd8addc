"""A gate as text for the terminal, as Markdown for a pull request, and as JUnit XML for a build server."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator
from xml.etree import ElementTree as ET

from auricle.report.difference_format import format_difference
from auricle.report.methods import BUCKET_MARK, format_method, name_units
from auricle.report.text_table import format_table
from auricle.scoring.gate import Gate, GateResult, Verdict

HEADER = ("metric", "group", "baseline", "candidate", "difference", "95 % interval", "method", "margin", "n", "verdict")
MARKS = {Verdict.BETTER: "✅", Verdict.NOT_WORSE: "✅", Verdict.WORSE: "❌", Verdict.UNDECIDED: "❔"}
MARKER = "<!-- auricle gate -->"
"""Lets a bot find the comment of an earlier build and edit it instead of adding another."""
MARKDOWN_SPECIAL = re.compile(r"([\\`*_{}\[\]<>#|])")
FORBIDDEN_IN_XML = re.compile("[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
SENTENCES = {
    Verdict.BETTER: "The candidate is better than the baseline.",
    Verdict.NOT_WORSE: "The candidate is not worse than the baseline by the margin or more.",
    Verdict.WORSE: "The candidate is worse than the baseline.",
    Verdict.UNDECIDED: "The samples do not decide whether the candidate is better or worse.",
}


def format_gate(gate: Gate) -> Iterator[str]:
    """Format a gate for the terminal."""
    yield f"baseline   {gate.baseline}"
    yield f"candidate  {gate.candidate}"
    yield ""
    yield from format_table(HEADER, [_cells(result) for result in gate.results])
    yield ""
    yield from (f"Failed: {failure}" for failure in gate.failures)
    yield describe_verdict(gate)
    yield from filter(None, map(explain_undecided, gate.results))
    yield from (f"Note: {note}" for note in gate.notes)


def describe_verdict(gate: Gate) -> str:
    """Return the verdict on a candidate as a sentence."""
    if gate.failures and not any(result.verdict is Verdict.WORSE for result in gate.results):
        return "The candidate does not pass."
    worse = [result.name for result in gate.results if result.verdict is Verdict.WORSE]
    sentence = SENTENCES[gate.verdict]
    return f"{sentence.removesuffix('.')}: {', '.join(worse)}." if worse else sentence


def explain_undecided(result: GateResult) -> str:
    """Return what would decide a verdict; empty if it is decided, or if that is unknown."""
    if result.is_open_by_failures:
        return f"{result.name}: the samples that failed could decide it. Run the candidate again to retry them."
    sentences = []
    if result.needed:
        data, have = name_units(result.cluster, result.needed, sample="pair"), f"; there are {result.units:,}"
        if BUCKET_MARK in result.method:  # there are always as many buckets: more data means more in each
            data, have = f"{result.needed / result.units:.1f} times as much data", ""
        amount = format_difference(result.target, result.unit, signed=False)
        sentences.append(f"about {data} would show a difference of {amount} with 80 % power{have}.")
    if result.verdict is Verdict.UNDECIDED and not result.margin:
        sentences.append("Without a margin, equal models stay undecided: state the tolerated loss with --margin.")
    return f"{result.name}: {' '.join(sentences)}" if sentences else ""


def _cells(result: GateResult) -> tuple[str, ...]:
    interval = " … ".join(format_difference(end, result.unit) for end in (result.low, result.high))
    return (
        result.direction.mark(result.metric),
        f"{result.field}={result.group}" if result.field else "all",
        _format_value(result.baseline, result.unit),
        _format_value(result.candidate, result.unit),
        format_difference(result.difference, result.unit),
        "–" if math.isnan(result.low) else interval,
        format_method(result.method, result),
        format_difference(result.margin, result.unit, signed=False) if result.margin else "–",
        f"{result.n:,}",
        result.verdict.value,
    )


def _format_value(value: float, unit: str) -> str:
    if math.isnan(value):
        return "–"
    return f"{100 * value:.2f} %" if unit == "share" else f"{value:.4g}"


# --- Markdown ------------------------------------------------------------------------------------


def to_markdown(gate: Gate) -> str:
    """Return a gate as Markdown, for the summary of a build or a comment on a pull request."""
    lines = [
        MARKER,
        f"### {MARKS[gate.verdict]} {describe_verdict(gate)}",
        "",
        f"| {' | '.join(HEADER)} |",
        f"|{'---|' * len(HEADER)}",
        *(f"| {' | '.join(map(_escape_markdown, _cells(result)))} |" for result in gate.results),
        "",
        *(f"- Failed: {_escape_markdown(failure)}" for failure in gate.failures),
        *(f"- {_escape_markdown(text)}" for text in map(explain_undecided, gate.results) if text),
        *(f"- Note: {_escape_markdown(note)}" for note in gate.notes),
        "",
        f"Baseline: `{_in_code(gate.baseline)}`, candidate: `{_in_code(gate.candidate)}`, {gate.pairs:,} pairs.",
    ]
    return "\n".join(lines) + "\n"


def _escape_markdown(text: str) -> str:
    """Escape a text; an `@` in it mentions no one."""
    return MARKDOWN_SPECIAL.sub(r"\\\1", " ".join(text.split())).replace("@", "&#64;")


def _in_code(text: str) -> str:
    return " ".join(text.replace("`", "'").split())


# --- JUnit ---------------------------------------------------------------------------------------


def to_junit(gate: Gate, *, allow_undecided: bool = False) -> bytes:
    """Return a gate as JUnit XML: a test case per verdict, which fails as the command does.

    Args:
        gate: The gate.
        allow_undecided: Whether an undecided gate passes; its undecided verdicts are then skipped tests.
    """
    suite = ET.Element("testsuite", {"name": "auricle gate"})
    for result in gate.results:
        case = ET.SubElement(suite, "testcase", {"classname": "auricle.gate", "name": _clean_xml(result.name)})
        cells = "; ".join(f"{name} {cell}" for name, cell in zip(HEADER, _cells(result), strict=True))
        sentence = _clean_xml(". ".join(filter(None, (cells, explain_undecided(result)))))
        if result.verdict in (Verdict.BETTER, Verdict.NOT_WORSE):
            ET.SubElement(case, "system-out").text = sentence
        elif result.verdict is Verdict.UNDECIDED and allow_undecided:
            ET.SubElement(case, "skipped", {"message": sentence})
        else:
            ET.SubElement(case, "failure", {"message": sentence, "type": result.verdict.value})
    for failure in gate.failures:
        case = ET.SubElement(suite, "testcase", {"classname": "auricle.gate", "name": "requirements"})
        ET.SubElement(case, "failure", {"message": _clean_xml(failure), "type": "requirement"})
    counts = {"tests": "*", "failures": "*/failure", "errors": "*/error", "skipped": "*/skipped"}
    attributes = {name: str(len(suite.findall(path))) for name, path in counts.items()}
    suite.attrib |= attributes
    root = ET.Element("testsuites", attributes)
    root.append(suite)
    document: bytes = ET.tostring(root, encoding="utf-8", xml_declaration=True)
    return document


def _clean_xml(text: str) -> str:
    """Remove characters that XML does not allow; models answer with them."""
    return FORBIDDEN_IN_XML.sub("", text)
