"""The page that sends one recording or prompt to several models and shows their outputs.

An output is shown as text, class scores, dimensions or ratings.
"""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

import streamlit as st

from auricle.app import theme
from auricle.app.model_pool import get_model_pool
from auricle.app.permissions import find_origins
from auricle.app.run_form import check_arguments, describe_model_arguments, validate_model
from auricle.app.uploads import DecodedAudio, decode_audio
from auricle.app.views.argument_fields import draw_arguments
from auricle.app.views.components import iter_in_columns
from auricle.app.views.confirmation import confirm_origins
from auricle.app.views.model_menu import describe_model, find_entry, open_model_menu
from auricle.app.waveforms import MAX_FREQUENCY, spectrogram_chart, waveform_chart
from auricle.app.workspace import AUDIO_SUFFIXES, DEMO_AUDIO_FOLDER, current_workspace
from auricle.core.calls import CallRecording
from auricle.core.errors import AudioError, AuricleError, SpecError, describe
from auricle.core.heard_speech import join_heard
from auricle.core.serialization import dumps
from auricle.core.types import Generation, Likelihood, Output, Prediction
from auricle.engine.factory import display_name
from auricle.report.text_format import format_likelihood

SOURCES = ("Demo", "Upload", "Record", "No audio")
MAX_MODELS = 4
MODELS_KEY, DEFAULT_MODEL = "inference-models", "moonshine"
DIMENSIONS = {"arousal", "dominance", "valence"}
MAX_BARS = 12
AXIS_HEIGHT = 64
"""Height of an axis with its title, in pixels."""


class Question(NamedTuple):
    """A recording and a prompt, and the models they are sent to."""

    recording: DecodedAudio | None
    text: str
    models: list[tuple[str, dict[str, Any]]]
    """Each model with its arguments."""

    @property
    def key(self) -> tuple[Any, ...]:
        return (self.recording.digest if self.recording else "", self.text, self.models)


class Answer(NamedTuple):
    """The output of a model, or an error."""

    model: str
    seconds: float = 0.0
    output: Output | None = None
    error: str = ""


def page() -> None:
    """Draw the form, the recording beside it and the answers below."""
    theme.draw_header("Single inference", "Send one recording or prompt to models and see their raw output.")
    form, preview = st.columns([2, 3], gap="large")
    with form:
        recording, error = _choose_recording()
        question = Question(recording, *_choose_prompt_and_models())
        is_ready = bool(question.models) and bool(recording or question.text) and not error
        origins = find_origins({"arguments": [arguments for _, arguments in question.models]})
        is_ready &= confirm_origins(origins, key="inference")
        is_clicked = st.button("Run", type="primary", disabled=not is_ready, icon=":material/hearing:") and is_ready
    with preview:
        if error:
            st.error(theme.escape_markdown(error), icon=":material/error:")
        elif recording:
            _draw_recording(recording)
        else:
            st.info("Choose audio, or enter a prompt only.", icon=":material/graphic_eq:")
    if is_clicked:
        st.session_state["answers"] = (question.key, list(_collect_answers(question)))
        st.rerun()
    key, answers = st.session_state.get("answers", (None, []))
    if answers and key == question.key:
        for answer in iter_in_columns(answers, 2 if len(answers) == 4 else min(3, len(answers))):
            st.header(theme.escape_markdown(answer.model), anchor=False)
            draw_answer(answer)


def _choose_recording() -> tuple[DecodedAudio | None, str]:
    """Return the chosen recording, or an error message."""
    source = st.segmented_control(
        "Audio", SOURCES, default=SOURCES[0], key="inference-source", **theme.PERSIST_STATE, required=True
    )
    if source == "Demo":
        clips = {path.stem: path for path in sorted(DEMO_AUDIO_FOLDER.glob("*.opus"))}
        name = st.selectbox("Clip", list(clips), key="inference-clip", **theme.PERSIST_STATE)
        return _decode_once(clips[name].read_bytes(), f"{name}.opus") if name in clips else (None, "")
    if source == "Upload":
        types = [suffix.removeprefix(".") for suffix in AUDIO_SUFFIXES]
        file = st.file_uploader("Audio file", types, key="inference-file")
        return _decode_once(file.getvalue(), file.name) if file else (None, "")
    if source == "Record":
        file = st.audio_input("Recording", key="inference-recording")
        return _decode_once(file.getvalue(), "recording.wav") if file else (None, "")
    return None, ""


def _decode_once(content: bytes, name: str) -> tuple[DecodedAudio | None, str]:
    """Decode audio and keep the result for the next times the page is drawn."""
    key = (name, len(content), hash(content))
    cached = st.session_state.get("decoded_audio")
    if cached and cached[0] == key:
        return cached[1], cached[2]
    with st.spinner("Decoding …"):
        try:
            result: tuple[DecodedAudio | None, str] = (decode_audio(content, name), "")
        except AudioError as error:
            result = (None, str(error))
    st.session_state["decoded_audio"] = (key, *result)
    return result


def _choose_prompt_and_models() -> tuple[str, list[tuple[str, dict[str, Any]]]]:
    """Return the prompt, and the chosen models with their arguments."""
    names: list[str] = st.session_state.setdefault(MODELS_KEY, [DEFAULT_MODEL])
    models = []
    for name in list(names):
        with st.container(border=True, key=f"inference-{name}"):
            models.append((name, _draw_model(name)))
    if len(names) < MAX_MODELS and st.button("Add a model", icon=":material/add:", key="inference-add"):
        open_model_menu("inference-menu", _add_model)
    placeholder = "Question or instruction, for models that accept text"
    prompt = st.text_area("Prompt", key="inference-text", **theme.PERSIST_STATE, height=68, placeholder=placeholder)
    return prompt.strip(), models


def _draw_model(name: str) -> dict[str, Any]:
    """Draw a chosen model, its arguments and a button to remove it; return the values of its arguments."""
    title = theme.escape_markdown(display_name(name))
    options: Any = {"icon": ":material/close:", "type": "tertiary", "on_click": _remove_model, "args": (name,)}
    with st.container(horizontal=True, horizontal_alignment="distribute", vertical_alignment="center"):
        st.markdown(f"**{title}**", width="content")
        st.button(f"Remove {title}", key=f"inference-remove-{name}", **options)
    st.caption(theme.escape_markdown(describe_model(name)))
    entry = find_entry(name)
    try:
        described = describe_model_arguments(current_workspace(), name)
    except SpecError:  # reported when the model is run
        return {}
    suggestions = {"model": entry.checkpoints} if entry else {}
    return draw_arguments(display_name(name), described, f"inference-{name}", suggestions, columns=1)


def _add_model(name: str) -> None:
    names = st.session_state[MODELS_KEY]
    st.session_state[MODELS_KEY] = [*names, *([name] if name not in names else [])]


def _remove_model(name: str) -> None:
    st.session_state[MODELS_KEY] = [other for other in st.session_state[MODELS_KEY] if other != name]


def _draw_recording(recording: DecodedAudio) -> None:
    """Draw a player, the waveform and the spectrogram."""
    st.audio(recording.samples, sample_rate=recording.rate)
    palette = theme.current_palette()
    theme.draw_chart(waveform_chart(recording, palette))
    theme.draw_chart(spectrogram_chart(recording, palette))
    channels = "mono" if recording.channels == 1 else f"{recording.channels} channels, mixed down to mono"
    cutoff = " Frequencies above 8 kHz are not shown." if recording.rate / 2 > MAX_FREQUENCY else ""
    louder = "Brighter" if palette.is_dark else "Darker"
    st.caption(
        f"{theme.escape_markdown(recording.name)}: {recording.seconds:.2f} s at {recording.rate / 1000:g} kHz, "
        f"{channels}. Amplitude is relative to full scale. {louder} means louder (80 dB range).{cutoff}"
    )


def _collect_answers(question: Question) -> Iterator[Answer]:
    """Run one model after the other; an error of one does not affect the others."""
    for name, arguments in question.models:
        with st.status(f"Running {theme.escape_markdown(display_name(name))} …") as status:
            answer = _ask_model(question, name, arguments)
            status.update(state="error" if answer.error else "complete")
        yield answer


def _ask_model(question: Question, name: str, arguments: dict[str, Any]) -> Answer:
    workspace = current_workspace()
    try:
        model_name = validate_model(workspace, name)
        check_arguments(workspace, arguments)
        with get_model_pool().acquire(model_name, arguments) as model:
            started_at = time.monotonic()
            audio = question.recording.audio if question.recording else None
            if model.can_stream and "generate" in model.abilities:
                placeholder, text = st.empty(), ""
                for chunk in model.stream(audio, question.text):
                    text += chunk
                    placeholder.text(text)
                output: Any = Generation(text=text)
            else:
                output = model.ask(audio, question.text)
            return Answer(display_name(model_name), time.monotonic() - started_at, output)
    except AuricleError as error:
        return Answer(display_name(name), error=str(error))
    except Exception as error:  # noqa: BLE001 - a custom model may raise anything
        return Answer(display_name(name), error=f"{type(error).__name__}: {describe(error)}")


# --- the answer of a model ----------------------------------------------------------------------


def draw_answer(answer: Answer) -> None:
    """Draw an answer, and its raw output below."""
    if answer.error or answer.output is None:
        st.error(theme.escape_markdown(answer.error), icon=":material/error:")
        return
    output = answer.output
    if isinstance(output, Generation):
        st.text(output.text or "(empty)")
        if output.audio is not None:
            try:
                st.audio(output.audio.encode(), format="audio/wav")
            except AudioError as error:
                st.caption(theme.escape_markdown(error))
    elif isinstance(output, Likelihood):
        st.text(format_likelihood(output))
    elif isinstance(output, CallRecording):
        st.text(join_heard(output) or output.understood)
    elif output.scale == "continuous":
        _draw_continuous_values(output.values)
    else:
        _draw_scores(output)
    st.caption(f"Response time: {answer.seconds:.2g} s")
    with st.expander("Raw output"):
        st.code(dumps(output).decode(), language="json", wrap_lines=True)


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
        {"name": name, "score": score, "top": False, "text": _format_score(score, is_probability)}
        for name, score in ranked
    ]
    rows[0] |= {"name": f"▸ {rows[0]['name']}", "top": True}
    title, axis, domain = "probability", alt.Axis(format="%", values=[0, 0.25, 0.5, 0.75, 1]), [0.0, 1.18]
    if not is_probability:
        low, high = min(0.0, ranked[-1][1]), max(0.0, ranked[0][1])
        margin = (high - low or 1.0) * 0.25  # space for the labels at the ends of the bars
        title, axis, domain = "logit", alt.Axis(format="g"), [low - margin * (low < 0), high + margin]
    base = alt.Chart(alt.InlineData(values=rows), height=26 * len(rows) + AXIS_HEIGHT).encode(
        y=alt.Y("name:N", sort=None, title=None, axis=alt.Axis(labelLimit=170, ticks=False)),
        x=alt.X("score:Q", title=title, scale=alt.Scale(domain=domain, nice=False), axis=axis),
        tooltip=[alt.Tooltip("name:N", title="class"), alt.Tooltip("text:N", title="score")],
    )
    fill = alt.condition("datum.top", alt.value(palette.accent), alt.value(palette.inactive))
    align, offset = alt.expr("datum.score < 0 ? 'right' : 'left'"), alt.expr("datum.score < 0 ? -5 : 5")
    labels = base.mark_text(align=align, dx=offset, color=palette.text).encode(text="text:N")
    return base.mark_bar(height=14).encode(color=fill) + labels


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
        {"name": name, "value": value, "low": min(0.0, value), "high": max(1.0, value), "text": f"{value:.2f}"}
        for name, value in values.items()
    ]
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
