"""Cards of the worst samples, with texts and players, and tables of failures."""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import Any

from auricle.metrics.label_alignment import display_label as english
from auricle.metrics.label_alignment import labels_match
from auricle.report.html_format import format_count, metric_title
from auricle.report.html_tables import cell, header_cell, render_table, row_header
from auricle.report.markup import Markup, join_markup, tag
from auricle.report.sample_view import Edit, SampleView
from auricle.report.text_format import truncate

MAX_QUESTION_LENGTH = 400  # longer questions would hide the answers
FIRST_UNSPACED_CHARACTER = "\u2e80"  # scripts without spaces begin here


def render_worst_samples(samples: Sequence[SampleView], metric: str, language: str) -> Markup:
    """Render one card per sample, in the given order."""
    asked = {each.question for each in samples}
    common = asked.pop() if len(asked) == 1 else ""
    cards = (_card(each, at, each.question != common, language) for at, each in enumerate(samples))
    what = f" by {metric_title(metric)}" if metric else ""
    return join_markup(
        tag("p", f"{len(samples)} samples, worst{what} first. ", _diff_legend(samples), class_="quiet"),
        tag("p", "All were asked: ", tag("q", truncate(common, MAX_QUESTION_LENGTH), dir="auto"), class_="quiet")
        if common
        else None,
        _render_controls(len(samples)),
        tag("ol", cards, class_="cards", id="cards"),
    )


def _diff_legend(samples: Sequence[SampleView]) -> Markup | None:
    if not any(each.diff for each in samples):
        return None
    return tag(
        "span",
        tag("span", tag("del", "reference"), tag("ins", "output"), class_="swap"),
        " substituted, ",
        tag("del", "missed"),
        " deleted, ",
        tag("ins", "added"),
        " inserted.",
        class_="legend diff",
    )


WORST_SAMPLE_ORDERS = (("worst", "Worst first"), ("best", "Best first"), ("id", "By id"))
CHANGED_SAMPLE_ORDERS = (("worst", "As found"), ("best", "Reversed"), ("id", "By id"))


def _render_controls(count: int, orders: Sequence[tuple[str, str]] = WORST_SAMPLE_ORDERS) -> Markup:
    """Render the filter and order controls, which the script makes visible."""
    return tag(
        "form",
        tag("label", "Filter ", tag("input", type="search", id="filter", placeholder="id, text, meta")),
        tag("label", "Order ", tag("select", [tag("option", text, value=value) for value, text in orders], id="order")),
        tag("output", f"{count} shown", id="matches", aria_live="polite"),
        class_="controls",
        hidden=True,
        id="controls",
    )


def render_changed_samples(samples: Sequence[tuple[SampleView, SampleView, str]], intro: str, language: str) -> Markup:
    """Render one card per sample that both runs answered, with both answers."""
    asked = {a.question for a, _, _ in samples}
    common = asked.pop() if len(asked) == 1 else ""
    made = (_changed_card(each, at, each[0].question != common, language) for at, each in enumerate(samples))
    return join_markup(
        tag("p", f"{intro} ", _diff_legend([b for _, b, _ in samples]), class_="quiet"),
        _render_controls(len(samples), CHANGED_SAMPLE_ORDERS),
        tag("ol", made, class_="cards", id="cards"),
    )


def _changed_card(sample: tuple[SampleView, SampleView, str], rank: int, show_question: bool, language: str) -> Markup:
    a, b, became = sample
    heard = a if a.audio else b
    side = tag(
        "div",
        tag(
            "p", tag("strong", a.score or "–", " → ", b.score or "–"), " ",
            tag("small", became), class_="score",
        ),
        tag("h3", tag("bdi", a.id)),
        tag("p", tag("bdi", a.origin), class_="origin") if a.origin else None,
        _chips(a.meta or {}),
        _players(heard),
        class_="side",
    )  # fmt: skip
    shared = (
        [_text_row("Asked", a.question, language)]
        if show_question and 0 < len(a.question) <= MAX_QUESTION_LENGTH
        else []
    )
    if a.target is not None:
        shared.append(_text_row("Reference", a.target, language))
    answers = [row for name, one in (("A", a), ("B", b)) for row in _answer_rows(name, one, language)]
    texts = tag("div", tag("dl", *shared, *answers), _note_line(heard), class_="texts")
    return tag("li", tag("article", side, texts), data_rank=rank, data_id=a.id)


def _answer_rows(name: str, sample: SampleView, language: str) -> list[Markup]:
    """Render the answer of one run, aligned with the reference if the metric aligns."""
    if sample.diff:
        return [_term_row(name, tag("dd", _render_diff(sample.diff), dir="auto", class_="diff"))]
    texts = [_text_row(f"{name} {who}", text, language) for who, text in sample.transcript]
    if sample.answer or not (sample.values or sample.transcript):
        texts.append(_text_row(name, sample.answer, language))
    if sample.values:
        texts.append(_term_row(name, tag("dd", _value_list(sample))))
    if sample.verdict:
        texts.append(_text_row(f"{name} judge", truncate(" ".join(sample.verdict.split()), 600), ""))
    return texts


def _card(sample: SampleView, rank: int, show_question: bool, language: str) -> Markup:
    side = tag(
        "div",
        _score_line(sample),
        tag("h3", tag("bdi", sample.id)),
        tag("p", tag("bdi", sample.origin), class_="origin") if sample.origin else None,
        _chips(sample.meta or {}),
        _players(sample),
        class_="side",
    )
    texts = tag("div", tag("dl", _text_rows(sample, show_question, language)), _note_line(sample), class_="texts")
    return tag("li", tag("article", side, texts), data_rank=rank, data_id=sample.id)


def _score_line(sample: SampleView) -> Markup | None:
    if not sample.score:
        return None
    kinds = "substitutions, deletions, insertions, of the reference’s length"
    errors = tag("small", sample.errors, title=kinds) if sample.errors else None
    return tag("p", tag("strong", sample.score), " ", errors, class_="score")


def _chips(meta: Mapping[str, str]) -> Markup | None:
    chips = [tag("li", tag("span", name), " ", tag("bdi", value)) for name, value in meta.items() if value]
    return tag("ul", chips, class_="chips") if chips else None


def _players(sample: SampleView) -> list[Markup]:
    return [
        tag(
            "audio",
            controls=True,
            preload="none",
            src=f"data:audio/mpeg;base64,{b64encode(sound).decode()}",
            aria_label=f"Recording of {sample.id}",
        )
        for sound in sample.audio
    ]


def _text_rows(sample: SampleView, show_question: bool, language: str) -> list[Markup]:
    """Render the texts of a sample, the alignment first, because the score is computed from it."""
    texts = (
        [_text_row("Asked", sample.question, language)]
        if show_question and 0 < len(sample.question) <= MAX_QUESTION_LENGTH
        else []
    )
    if sample.diff:
        texts.append(_term_row("Aligned", tag("dd", _render_diff(sample.diff), dir="auto", class_="diff")))
    compared = any(line.speaker == "Reference" for line in sample.transcript)
    if sample.target is not None and not compared:
        texts.append(_text_row("Reference", sample.target, language))
    texts += [_text_row(who, text, language) for who, text in sample.transcript]
    if sample.answer or not (sample.values or sample.transcript):
        texts.append(_text_row("Answer", sample.answer, language))
    if sample.values:
        texts.append(_term_row("Scores", tag("dd", _value_list(sample))))
    if sample.verdict:
        texts.append(_text_row("Judge", truncate(" ".join(sample.verdict.split()), 600), ""))
    return texts


def _term_row(term: str, text: Markup) -> Markup:
    return tag("div", tag("dt", term), text)


def _text_row(term: str, text: str, language: str) -> Markup:
    if not text.strip():
        return _term_row(term, tag("dd", "empty", class_="nothing"))
    return _term_row(term, tag("dd", text, dir="auto", lang=language or None, class_="text"))


def _render_diff(diff: Sequence[Edit]) -> Markup:
    """Render both texts in one line, with deletions struck through and insertions underlined."""
    letters = all(len(token) == 1 for edit in diff for token in edit.reference + edit.answer)
    pieces: list[str] = []
    before = ""
    for edit in diff:
        first = (edit.reference or edit.answer)[0]
        pieces += ["" if letters else token_separator(before, first), _render_edit(edit, letters)]
        before = (edit.answer or edit.reference)[-1]
    return join_markup(pieces)


def _render_edit(edit: Edit, by_character: bool) -> Markup:
    gone, new = (join_tokens(side, by_character) for side in (edit.reference, edit.answer))
    if edit.kind == "equal":
        return join_markup(gone)
    both = (tag("del", gone) if gone else None, tag("ins", new) if new else None)
    return tag("span", *both, class_="swap") if gone and new else join_markup(*both)


def join_tokens(tokens: Sequence[str], by_character: bool) -> str:
    """Join tokens to text."""
    if by_character:
        return "".join(tokens)
    return "".join(token_separator(before, token) + token for before, token in pairwise(("", *tokens)))


def token_separator(before: str, after: str) -> str:
    """Return a space between words, and nothing between characters of a script without spaces."""
    tight = not before or (before[-1] >= FIRST_UNSPACED_CHARACTER and after[:1] >= FIRST_UNSPACED_CHARACTER)
    return "" if tight else " "


def _value_list(sample: SampleView) -> Markup:
    highest = max(abs(value) for _, value in sample.values) or 1.0
    rows = (
        tag(
            "li",
            tag("bdi", english(label), title=None if english(label) == label else label),
            tag("meter", min=0, max=f"{highest:g}", value=f"{max(0.0, value):g}", aria_hidden="true"),
            tag("span", f"{value:.4g}"),
            class_="right" if sample.target and labels_match(sample.target, label) else None,
        )
        for label, value in sample.values
    )
    return tag("ol", rows, class_="values")


def _note_line(sample: SampleView) -> Markup | None:
    return tag("p", truncate(sample.note, 600), class_="note", dir="auto") if sample.note else None


# --- failures ---------------------------------------------------------------------------


def render_failures(document: Mapping[str, Any]) -> Markup:
    """Render failures by kind, with examples."""
    head = [header_cell("Kind", css_class=""), header_cell("Samples"), header_cell("Examples", css_class="")]
    rows = (
        tag(
            "tr",
            row_header(tag("bdi", failure["kind"])),
            cell(format_count(failure["count"])),
            cell(_examples(failure["examples"]), css_class="examples"),
        )
        for failure in document["failures"]
    )
    return render_table("Failures by kind", head, rows, "failures")


def _examples(examples: Sequence[Mapping[str, str]]) -> Markup:
    items = [
        tag(
            "li",
            tag("code", tag("bdi", each["origin"] or each["id"])),
            " ",
            tag("span", truncate(each["message"], 600), dir="auto"),
        )
        for each in examples
    ]
    rest = items[3:]
    more = tag("details", tag("summary", f"{len(rest)} more examples"), tag("ul", rest)) if rest else None
    return join_markup(tag("ul", items[:3]), more)


def render_unreadable(document: Mapping[str, Any]) -> Markup:
    """Render the reasons for unreadable answers; metrics with the same reason share a row."""
    metrics_by_reason: dict[tuple[str, int], list[str]] = {}
    for metric, reasons in document["unreadable"].items():
        for reason_and_count in reasons.items():
            metrics_by_reason.setdefault(reason_and_count, []).append(metric_title(metric))
    head = [header_cell("Why", css_class="examples"), header_cell("Samples"), header_cell("Metrics", css_class="")]
    rows = (
        tag(
            "tr",
            cell(tag("span", truncate(reason, 600), dir="auto"), css_class="examples"),
            cell(format_count(times)),
            cell(", ".join(metrics), css_class=""),
        )
        for (reason, times), metrics in metrics_by_reason.items()
    )
    return render_table("Unreadable answers by reason", head, rows, "failures")
