"""A gate as text for the terminal, as Markdown for a pull request, and as JUnit XML for a build server."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator
from xml.etree import ElementTree as ET

from auricle.report.compare.difference_format import format_difference
from auricle.report.gate import Gate, GateResult, Verdict
from auricle.report.terminal import format_table

HEADER = ("metric", "group", "baseline", "candidate", "difference", "95 % interval", "margin", "n", "verdict")
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
    if result.needed:
        amount = format_difference(result.target, result.unit, signed=False)
        return (
            f"{result.name}: about {result.needed:,} pairs would show a difference of {amount}; there are {result.n:,}."
        )
    if result.verdict is Verdict.UNDECIDED and not result.margin:
        return f"{result.name}: without a margin, equal models stay undecided. State the tolerated loss with --margin."
    return ""


def _cells(result: GateResult) -> tuple[str, ...]:
    interval = " … ".join(format_difference(end, result.unit) for end in (result.low, result.high))
    return (
        result.direction.mark(result.metric),
        f"{result.field}={result.group}" if result.field else "all",
        _format_value(result.baseline, result.unit),
        _format_value(result.candidate, result.unit),
        format_difference(result.difference, result.unit),
        "–" if math.isnan(result.low) else interval,
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


def to_junit(gate: Gate) -> bytes:
    """Return a gate as JUnit XML: a test case per verdict, skipped if it cannot be decided."""
    results = gate.results
    failed = sum(result.verdict is Verdict.WORSE for result in results) + len(gate.failures)
    skipped = sum(result.verdict is Verdict.UNDECIDED for result in results)
    counts = {"tests": len(results) + len(gate.failures), "failures": failed, "errors": 0, "skipped": skipped}
    attributes = {name: str(count) for name, count in counts.items()}
    root = ET.Element("testsuites", attributes)
    suite = ET.SubElement(root, "testsuite", {"name": "auricle gate", **attributes})
    for result in results:
        case = ET.SubElement(suite, "testcase", {"classname": "auricle.gate", "name": _clean_xml(result.name)})
        sentence = _clean_xml("; ".join(f"{name} {cell}" for name, cell in zip(HEADER, _cells(result), strict=True)))
        if result.verdict is Verdict.WORSE:
            ET.SubElement(case, "failure", {"message": sentence, "type": "worse"})
        elif result.verdict is Verdict.UNDECIDED:
            explanation = _clean_xml(explain_undecided(result))
            ET.SubElement(case, "skipped", {"message": f"{sentence}. {explanation}".strip()})
        else:
            ET.SubElement(case, "system-out").text = sentence
    for failure in gate.failures:
        case = ET.SubElement(suite, "testcase", {"classname": "auricle.gate", "name": "requirements"})
        ET.SubElement(case, "failure", {"message": _clean_xml(failure), "type": "requirement"})
    document: bytes = ET.tostring(root, encoding="utf-8", xml_declaration=True)
    return document


def _clean_xml(text: str) -> str:
    """Remove characters that XML does not allow; models answer with them."""
    return FORBIDDEN_IN_XML.sub("", text)
