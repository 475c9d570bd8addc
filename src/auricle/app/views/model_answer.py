"""The answer of a model on the page for single inference: text, class scores, dimensions or ratings."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import streamlit as st

from auricle.app import theme
from auricle.core.errors import AudioError
from auricle.core.serialization import dumps
from auricle.core.types import Generation, Likelihood, Output, Prediction
from auricle.report.text_format import format_likelihood

DIMENSIONS = {"arousal", "dominance", "valence"}
MAX_BARS = 12
AXIS_HEIGHT = 64
"""Height of an axis with its title, in pixels."""


@dataclass(frozen=True, slots=True)
class Answer:
    """The output of a model, or an error."""

    model: str
    seconds: float = 0.0
    output: Output | None = None
    error: str = ""


def draw_answer(answer: Answer) -> None:
    """Draw an answer, and its raw output below."""
    if answer.error or answer.output is None:
        st.error(theme.escape_markdown(answer.error), icon=":material/error:")
        return
    output = answer.output
    if isinstance(output, Generation):
        _draw_generation(output)
    elif isinstance(output, Likelihood):
        st.text(format_likelihood(output))
    elif output.scale == "continuous":
        _draw_continuous_values(output.values)
    else:
        _draw_scores(output)
    st.caption(f"Response time: {answer.seconds:.2g} s")
    with st.expander("Raw output"):
        st.code(dumps(output).decode(), language="json", wrap_lines=True)


def _draw_generation(output: Generation) -> None:
    st.text(output.text or "(empty)")
    if output.audio is not None:
        try:
            st.audio(output.audio.encode(), format="audio/wav")
        except AudioError as error:
            st.caption(theme.escape_markdown(error))


def _draw_scores(output: Prediction) -> None:
    """Draw the classes by score, with the highest marked."""
    ranked = sorted(output.values.items(), key=lambda pair: -pair[1])
    is_probability = output.scale == "probability"
    top, score = ranked[0]
    score_text = _format_score(score, is_probability)
    st.metric("top class", theme.escape_markdown(top), score_text, delta_color="off", delta_arrow="off")
    theme.draw_chart(class_score_chart(ranked[:MAX_BARS], is_probability, theme.current_palette()))
    if len(ranked) > MAX_BARS:
        st.caption(f"{len(ranked) - MAX_BARS} lower-scoring classes are in the raw output.")


def _format_score(score: float, is_probability: bool) -> str:
    return f"{score:.1%}" if is_probability else f"{score:.3g}"


def class_score_chart(ranked: list[tuple[str, float]], is_probability: bool, palette: theme.Palette) -> Any:
    """Draw horizontal bars in the given order; the first is the top class."""
    import altair as alt

    rows = [
        {"name": f"▸ {name}" if rank == 0 else name, "score": score, "top": rank == 0,
         "text": _format_score(score, is_probability)}
        for rank, (name, score) in enumerate(ranked)
    ]  # fmt: skip
    base = alt.Chart(alt.InlineData(values=rows), height=26 * len(rows) + AXIS_HEIGHT).encode(
        y=alt.Y("name:N", sort=None, title=None, axis=alt.Axis(labelLimit=170, ticks=False)),
        x=alt.X("score:Q", title="probability" if is_probability else "logit",
                scale=alt.Scale(domain=_score_axis_domain(ranked, is_probability), nice=False),
                axis=alt.Axis(format="%" if is_probability else "g",
                              values=[0, 0.25, 0.5, 0.75, 1] if is_probability else alt.Undefined)),
        tooltip=[alt.Tooltip("name:N", title="class"), alt.Tooltip("text:N", title="score")],
    )  # fmt: skip
    fill = alt.condition("datum.top", alt.value(palette.accent), alt.value(palette.inactive))
    labels = base.mark_text(
        align=alt.expr("datum.score < 0 ? 'right' : 'left'"),
        dx=alt.expr("datum.score < 0 ? -5 : 5"),
        color=palette.text,
    ).encode(text="text:N")
    return base.mark_bar(height=14).encode(color=fill) + labels


def _score_axis_domain(ranked: list[tuple[str, float]], is_probability: bool) -> list[float]:
    """Return the range of the axis, with space for the labels at the ends of the bars."""
    if is_probability:
        return [0.0, 1.18]
    low, high = min(0.0, ranked[-1][1]), max(0.0, ranked[0][1])
    margin = (high - low or 1.0) * 0.25
    return [low - margin * (low < 0), high + margin]


def _draw_continuous_values(values: Mapping[str, float]) -> None:
    """Draw dimensions as gauges from 0 to 1, and ratings, whose range is unknown, as numbers."""
    if values and set(values) <= DIMENSIONS:
        theme.draw_chart(gauge_chart(values, theme.current_palette()))
        return
    with st.container(horizontal=True):
        for name, value in values.items():
            st.metric(theme.escape_markdown(name), f"{value:.4g}", width="content")


def gauge_chart(values: Mapping[str, float], palette: theme.Palette) -> Any:
    """Draw a track from 0 to 1 for each dimension, filled up to its value."""
    import altair as alt

    rows = [
        {"name": name, "value": value, "low": min(0.0, value), "high": max(1.0, value),
         "text": f"{value:.2f}"}
        for name, value in values.items()
    ]  # fmt: skip
    domain = [min(0.0, *values.values()), max(1.0, *values.values())]
    base = alt.Chart(alt.InlineData(values=rows), height=48 * len(rows) + AXIS_HEIGHT).encode(
        y=alt.Y("name:N", sort=None, title=None, axis=alt.Axis(ticks=False, domain=False))
    )
    axis = alt.Axis(values=[0, 0.25, 0.5, 0.75, 1], format=".2")
    x = alt.X("low:Q", title="model output (0 to 1)", scale=alt.Scale(domain=domain), axis=axis)
    track = base.mark_bar(height=12, color=palette.border, cornerRadius=6).encode(x=x, x2="high:Q")
    level = base.mark_bar(height=12, color=palette.accent, cornerRadius=6).encode(x=x, x2="value:Q")
    labels = base.mark_text(dy=-14, color=palette.text, fontWeight=600).encode(
        x=alt.X("value:Q", scale=alt.Scale(domain=domain)), text="text:N"
    )
    return track + level + labels
