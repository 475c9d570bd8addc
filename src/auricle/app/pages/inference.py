"""Single inference: one sound, any models, and what exactly they answer."""

from __future__ import annotations

import time
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import streamlit as st

from auricle.app import theme
from auricle.app.model_pool import get_model_pool
from auricle.app.run_form import parse_options, validate_model
from auricle.app.uploads import DecodedAudio, decode_audio
from auricle.app.views.model_answer import Answer, draw_answer
from auricle.app.waveforms import MAX_FREQUENCY, spectrogram_chart, waveform_chart
from auricle.app.workspace import AUDIO_SUFFIXES, DEMO_AUDIO_FOLDER, current_workspace
from auricle.core.errors import AudioError, AuricleError, describe
from auricle.core.types import Generation
from auricle.engine.factory import display_name
from auricle.models.catalogue import MODELS

SOURCES = ("Demo", "Upload", "Record", "None")
MAX_MODELS = 4  # models beside one another
FAKE_MODEL_PREFIXES = ("echo", "fake-")


@dataclass(frozen=True, slots=True)
class Question:
    """What is asked of whom."""

    recording: DecodedAudio | None
    text: str
    models: tuple[tuple[str, str], ...]
    """Models with their options, as they were typed."""

    @property
    def key(self) -> tuple[Any, ...]:
        return (self.recording.digest if self.recording else "", self.text, self.models)


def page() -> None:
    """A form, the sound beside it, the answers below."""
    theme.draw_header("Single inference", "Ask models about one sound and see their raw answers.")
    form, picture = st.columns([2, 3], gap="large")
    with form:
        sound, broken = _choose_recording()
        question = Question(sound, *_choose_prompt_and_models())
        ready = bool(question.models) and bool(sound or question.text) and not broken
        clicked = st.button("Ask", type="primary", disabled=not ready, icon=":material/hearing:")
    with picture:
        if broken:
            st.error(theme.escape_markdown(broken), icon=":material/error:")
        elif sound:
            _draw_recording(sound)
        else:
            st.info("Choose a sound, or ask without one.", icon=":material/graphic_eq:")
    if clicked:
        st.session_state["answered"] = (question.key, list(_collect_answers(question)))
        st.rerun()
    key, answers = st.session_state.get("answered", (None, []))
    if answers and key == question.key:
        _draw_answers(answers)


def _choose_recording() -> tuple[DecodedAudio | None, str]:
    """The sound that was chosen, or why it cannot be used."""
    source = st.segmented_control(
        "Sound", SOURCES, default=SOURCES[0], key="listen-source", **theme.PERSIST_STATE, required=True
    )
    if source == "Demo":
        clips = {path.stem: path for path in sorted(DEMO_AUDIO_FOLDER.glob("*.opus"))}
        name = st.selectbox("Clip", list(clips), key="listen-clip", **theme.PERSIST_STATE)
        return _decode_once(clips[name].read_bytes(), f"{name}.opus") if name in clips else (None, "")
    if source == "Upload":
        types = [each.removeprefix(".") for each in AUDIO_SUFFIXES]
        file = st.file_uploader("Sound file", types, key="listen-file")
        return _decode_once(file.getvalue(), file.name) if file else (None, "")
    if source == "Record":
        file = st.audio_input("Recording", key="listen-recording")
        return _decode_once(file.getvalue(), "recording.wav") if file else (None, "")
    return None, ""


def _decode_once(content: bytes, name: str) -> tuple[DecodedAudio | None, str]:
    """A sound decoded once, however often the page is drawn again."""
    mark = (name, len(content), hash(content))
    held = st.session_state.get("heard")
    if held and held[0] == mark:
        return held[1], held[2]
    with st.spinner("Decoding …"):
        try:
            found: tuple[DecodedAudio | None, str] = (decode_audio(content, name), "")
        except AudioError as error:
            found = (None, str(error))
    st.session_state["heard"] = (mark, *found)
    return found


def _choose_prompt_and_models() -> tuple[str, tuple[tuple[str, str], ...]]:
    """The words that go with the sound, and the models with their options."""
    wanted = st.multiselect(
        "Models",
        list_model_names(),
        default=["moonshine"],
        key="listen-models",
        max_selections=MAX_MODELS,
        accept_new_options=True,
        wrap=True,
        placeholder="A name, or file.py:Class",
        help="Names of the catalogue; or path/file.py:Class in a folder the app may read.",
        **theme.PERSIST_STATE,
    )
    st.caption(theme.escape_markdown("; ".join(filter(None, map(_describe_model, wanted)))))
    text = st.text_area(
        "Prompt", key="listen-text", **theme.PERSIST_STATE, height=68,
        placeholder="A question or an instruction, for models that take one",
    )  # fmt: skip
    given = []
    if wanted:
        with st.expander("Options of models"):
            for name in wanted:
                text_of = st.text_input(
                    theme.escape_markdown(display_name(name)), key=f"listen-options-{name}", **theme.PERSIST_STATE,
                    placeholder="key=value key=value",
                )  # fmt: skip
                given.append((name, text_of))
    return text.strip(), tuple(given)


def list_model_names() -> list[str]:
    """Models by name, those that only pretend last."""
    return sorted(MODELS, key=lambda name: (name.startswith(FAKE_MODEL_PREFIXES), name))


def _describe_model(name: str) -> str:
    return MODELS.summary(name) if name in set(MODELS) else ""


def _draw_recording(recording: DecodedAudio) -> None:
    """Play it, and show its waveform over its spectrogram."""
    st.audio(recording.samples, sample_rate=recording.rate)
    colours = theme.current_palette()
    theme.draw_chart(waveform_chart(recording, colours))
    theme.draw_chart(spectrogram_chart(recording, colours))
    channels = "mono" if recording.channels == 1 else f"{recording.channels} channels, mixed to one"
    above = " Above 8 kHz is not drawn." if recording.rate / 2 > MAX_FREQUENCY else ""
    louder = "Brighter" if colours.is_dark else "Darker"
    st.caption(
        f"{theme.escape_markdown(recording.name)}: {recording.seconds:.2f} s at {recording.rate / 1000:g} kHz, "
        f"{channels}. Amplitude is of full scale. {louder} is louder, over 80 dB.{above}"
    )


def _collect_answers(question: Question) -> Iterator[Answer]:
    """Ask one model after the other; what one does wrong is no other's trouble."""
    for name, text in question.models:
        with st.status(f"{theme.escape_markdown(display_name(name))} is listening …") as status:
            answer = _ask_model(question, name, text)
            status.update(state="error" if answer.error else "complete")
        yield answer


def _ask_model(question: Question, name: str, options_text: str) -> Answer:
    shelf = current_workspace()
    try:
        known, arguments = validate_model(shelf, name), parse_options(shelf, options_text)
        with get_model_pool().acquire(known, arguments) as model:
            began = time.monotonic()
            audio = question.recording.audio if question.recording else None
            if model.can_stream and "generate" in model.abilities:
                output: Any = Generation(text=_draw_stream(model.stream(audio, question.text)))
            else:
                output = model.ask(audio, question.text)
            return Answer(display_name(known), time.monotonic() - began, output)
    except AuricleError as error:
        return Answer(display_name(name), error=str(error))
    except Exception as error:  # noqa: BLE001 - a model is anybody's code; its error is its answer
        return Answer(display_name(name), error=f"{type(error).__name__}: {describe(error)}")


def _draw_stream(chunks: Iterator[str]) -> str:
    """Text as it comes, shown to the letter."""
    place, text = st.empty(), ""
    for piece in chunks:
        text += piece
        place.text(text)
    return text


def _draw_answers(answers: list[Answer]) -> None:
    """Up to three in a row; four are two rows."""
    width = 2 if len(answers) == 4 else 3
    for start in range(0, len(answers), width):
        row = answers[start : start + width]
        for column, answer in zip(st.columns(len(row), gap="large"), row, strict=True):
            with column:
                st.subheader(theme.escape_markdown(answer.model), anchor=False)
                draw_answer(answer)
