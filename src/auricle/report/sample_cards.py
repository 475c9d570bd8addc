"""Samples on the page: those that did worst, to read and to hear, and those that failed."""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import Any

from auricle.metrics.alignment import alike
from auricle.metrics.alignment import shown as english
from auricle.report.formatting import count, title
from auricle.report.html_tables import cell, heading, name_cell, table
from auricle.report.markup import Markup, tag, together
from auricle.report.worst_samples import Edit, Shown, clip

SHORT = 400  # a question longer than this would bury the answers
FIRST_UNSPACED = "\u2e80"  # from here on lie the scripts that are written without spaces


def worst_samples(worst: Sequence[Shown], metric: str, language: str) -> Markup:
    """A card a sample, in the order given."""
    asked = {each.question for each in worst}
    common = asked.pop() if len(asked) == 1 else ""
    cards = (_card(each, at, each.question != common, language) for at, each in enumerate(worst))
    what = f" by {title(metric)}" if metric else ""
    return together(
        tag("p", f"{len(worst)} samples, worst{what} first. ", _legend(worst), class_="quiet"),
        tag("p", "All were asked: ", tag("q", clip(common, SHORT), dir="auto"), class_="quiet")
        if common
        else None,
        _controls(len(worst)),
        tag("ol", cards, class_="cards", id="cards"),
    )


def _legend(worst: Sequence[Shown]) -> Markup | None:
    if not any(each.diff for each in worst):
        return None
    return tag(
        "span",
        tag("span", tag("del", "said"), tag("ins", "heard"), class_="swap"),
        " substituted, ",
        tag("del", "missed"),
        " deleted, ",
        tag("ins", "added"),
        " inserted.",
        class_="legend diff",
    )


WORST = (("worst", "Worst first"), ("best", "Least bad first"), ("id", "By id"))
CHANGED = (("worst", "As found"), ("best", "Reversed"), ("id", "By id"))


def _controls(amount: int, choices: Sequence[tuple[str, str]] = WORST) -> Markup:
    """Filter and order; shown by the script, without which they would do nothing."""
    return tag(
        "form",
        tag(
            "label",
            "Filter ",
            tag("input", type="search", id="filter", placeholder="id, text, meta"),
        ),
        tag(
            "label",
            "Order ",
            tag(
                "select", [tag("option", text, value=value) for value, text in choices], id="order"
            ),
        ),
        tag("output", f"{amount} shown", id="matches", aria_live="polite"),
        class_="controls",
        hidden=True,
        id="controls",
    )


def changed_samples(
    changed: Sequence[tuple[Shown, Shown, str]], intro: str, language: str
) -> Markup:
    """A card a sample two runs answered: A's, B's, and what B's answer is beside A's."""
    asked = {a.question for a, _, _ in changed}
    common = asked.pop() if len(asked) == 1 else ""
    made = (
        _changed_card(each, at, each[0].question != common, language)
        for at, each in enumerate(changed)
    )
    return together(
        tag("p", f"{intro} ", _legend([b for _, b, _ in changed]), class_="quiet"),
        _controls(len(changed), CHANGED),
        tag("ol", made, class_="cards", id="cards"),
    )


def _changed_card(each: tuple[Shown, Shown, str], rank: int, ask: bool, language: str) -> Markup:
    a, b, became = each
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
    shared = [_text("Asked", a.question, language)] if ask and 0 < len(a.question) <= SHORT else []
    if a.target is not None:
        shared.append(_text("Reference", a.target, language))
    answers = [row for name, one in (("A", a), ("B", b)) for row in _said(name, one, language)]
    texts = tag("div", tag("dl", *shared, *answers), _note(heard), class_="texts")
    return tag("li", tag("article", side, texts), data_rank=rank, data_id=a.id)


def _said(name: str, each: Shown, language: str) -> list[Markup]:
    """What one of two runs answered; aligned with the reference where the metric does so."""
    if each.diff:
        return [_row(name, tag("dd", _aligned(each.diff), dir="auto", class_="diff"))]
    texts = [_text(f"{name} {who}", text, language) for who, text in each.said]
    if each.answer or not (each.values or each.said):
        texts.append(_text(name, each.answer, language))
    if each.values:
        texts.append(_row(name, tag("dd", _value_list(each))))
    if each.verdict:
        texts.append(_text(f"{name} judge", clip(" ".join(each.verdict.split()), 600), ""))
    return texts


def _card(each: Shown, rank: int, ask: bool, language: str) -> Markup:
    side = tag(
        "div",
        _score(each),
        tag("h3", tag("bdi", each.id)),
        tag("p", tag("bdi", each.origin), class_="origin") if each.origin else None,
        _chips(each.meta or {}),
        _players(each),
        class_="side",
    )
    texts = tag("div", tag("dl", _texts(each, ask, language)), _note(each), class_="texts")
    return tag("li", tag("article", side, texts), data_rank=rank, data_id=each.id)


def _score(each: Shown) -> Markup | None:
    if not each.score:
        return None
    kinds = "substitutions, deletions, insertions, of the reference’s length"
    errors = tag("small", each.errors, title=kinds) if each.errors else None
    return tag("p", tag("strong", each.score), " ", errors, class_="score")


def _chips(meta: Mapping[str, str]) -> Markup | None:
    chips = [
        tag("li", tag("span", name), " ", tag("bdi", value))
        for name, value in meta.items()
        if value
    ]
    return tag("ul", chips, class_="chips") if chips else None


def _players(each: Shown) -> list[Markup]:
    return [
        tag(
            "audio",
            controls=True,
            preload="none",
            src=f"data:audio/mpeg;base64,{b64encode(sound).decode()}",
            aria_label=f"Sound of {each.id}",
        )
        for sound in each.audio
    ]


def _texts(each: Shown, ask: bool, language: str) -> list[Markup]:
    """Terms and texts; the alignment comes first because it is what the score was made from."""
    texts = (
        [_text("Asked", each.question, language)] if ask and 0 < len(each.question) <= SHORT else []
    )
    if each.diff:
        texts.append(_row("Aligned", tag("dd", _aligned(each.diff), dir="auto", class_="diff")))
    compared = any(line.who == "Reference" for line in each.said)
    if each.target is not None and not compared:
        texts.append(_text("Reference", each.target, language))
    texts += [_text(who, text, language) for who, text in each.said]
    if each.answer or not (each.values or each.said):
        texts.append(_text("Answer", each.answer, language))
    if each.values:
        texts.append(_row("Scores", tag("dd", _value_list(each))))
    if each.verdict:
        texts.append(_text("Judge", clip(" ".join(each.verdict.split()), 600), ""))
    return texts


def _row(term: str, text: Markup) -> Markup:
    return tag("div", tag("dt", term), text)


def _text(term: str, text: str, language: str) -> Markup:
    if not text.strip():
        return _row(term, tag("dd", "empty", class_="nothing"))
    return _row(term, tag("dd", text, dir="auto", lang=language or None, class_="said"))


def _aligned(diff: Sequence[Edit]) -> Markup:
    """Both texts in one line: what was lost struck through, what was added underlined."""
    letters = all(len(token) == 1 for edit in diff for token in edit.reference + edit.answer)
    pieces: list[str] = []
    before = ""
    for edit in diff:
        first = (edit.reference or edit.answer)[0]
        pieces += ["" if letters else gap(before, first), _edit(edit, letters)]
        before = (edit.answer or edit.reference)[-1]
    return together(pieces)


def _edit(edit: Edit, letters: bool) -> Markup:
    gone, new = (joined(side, letters) for side in (edit.reference, edit.answer))
    if edit.kind == "equal":
        return together(gone)
    both = (tag("del", gone) if gone else None, tag("ins", new) if new else None)
    return tag("span", *both, class_="swap") if gone and new else together(*both)


def joined(tokens: Sequence[str], letters: bool) -> str:
    """Tokens as running text."""
    if letters:
        return "".join(tokens)
    return "".join(gap(before, token) + token for before, token in pairwise(("", *tokens)))


def gap(before: str, after: str) -> str:
    """A space between words; none between characters of a script that has none."""
    tight = not before or (before[-1] >= FIRST_UNSPACED and after[:1] >= FIRST_UNSPACED)
    return "" if tight else " "


def _value_list(each: Shown) -> Markup:
    highest = max(abs(value) for _, value in each.values) or 1.0
    rows = (
        tag(
            "li",
            tag("bdi", english(label), title=None if english(label) == label else label),
            tag(
                "meter", min=0, max=f"{highest:g}", value=f"{max(0.0, value):g}", aria_hidden="true"
            ),
            tag("span", f"{value:.4g}"),
            class_="right" if each.target and alike(each.target, label) else None,
        )
        for label, value in each.values
    )
    return tag("ol", rows, class_="values")


def _note(each: Shown) -> Markup | None:
    return tag("p", clip(each.note, 600), class_="note", dir="auto") if each.note else None


# --- failures ---------------------------------------------------------------------------


def failures(document: Mapping[str, Any]) -> Markup:
    """What failed, by kind, with examples."""
    head = [heading("Kind", kind=""), heading("Samples"), heading("Examples", kind="")]
    rows = (
        tag(
            "tr",
            name_cell(tag("bdi", failure["kind"])),
            cell(count(failure["count"])),
            cell(_examples(failure["examples"]), kind="examples"),
        )
        for failure in document["failures"]
    )
    return table("Failures by kind", head, rows, "failures")


def _examples(examples: Sequence[Mapping[str, str]]) -> Markup:
    items = [
        tag(
            "li",
            tag("code", tag("bdi", each["origin"] or each["id"])),
            " ",
            tag("span", clip(each["message"], 600), dir="auto"),
        )
        for each in examples
    ]
    rest = items[3:]
    more = (
        tag("details", tag("summary", f"{len(rest)} more examples"), tag("ul", rest))
        if rest
        else None
    )
    return together(tag("ul", items[:3]), more)


def unreadable(document: Mapping[str, Any]) -> Markup:
    """Why answers could not be read; metrics that found the same share a row."""
    whose: dict[tuple[str, int], list[str]] = {}
    for metric, reasons in document["unreadable"].items():
        for found in reasons.items():
            whose.setdefault(found, []).append(title(metric))
    head = [heading("Why", kind="examples"), heading("Samples"), heading("Metrics", kind="")]
    rows = (
        tag(
            "tr",
            cell(tag("span", clip(reason, 600), dir="auto"), kind="examples"),
            cell(count(times)),
            cell(", ".join(metrics), kind=""),
        )
        for (reason, times), metrics in whose.items()
    )
    return table("Unreadable answers by reason", head, rows, "failures")
