"""Single inference: one sound, any models, and what exactly they answer."""

from __future__ import annotations

import time
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import streamlit as st

from auricle.app import theme
from auricle.app.answers import Answer, draw
from auricle.app.models import models
from auricle.app.run_form import model_of, options
from auricle.app.uploads import Heard, heard
from auricle.app.waveforms import HIGHEST, spectrogram_chart, waveform_chart
from auricle.app.workspace import PACKAGED, SOUNDS, current
from auricle.core.errors import AudioError, AuricleError, told
from auricle.core.types import Generation
from auricle.engine.factory import short
from auricle.models.catalogue import MODELS

SOURCES = ("Demo", "Upload", "Record", "None")
MOST = 4  # models beside one another
FAKES = ("echo", "fake-")


@dataclass(frozen=True, slots=True)
class Question:
    """What is asked of whom."""

    sound: Heard | None
    text: str
    wanted: tuple[tuple[str, str], ...]
    """Models with their options, as they were typed."""

    @property
    def key(self) -> tuple[Any, ...]:
        return (self.sound.digest if self.sound else "", self.text, self.wanted)


def page() -> None:
    """A form, the sound beside it, the answers below."""
    theme.head("Single inference", "Ask models about one sound and see their raw answers.")
    form, picture = st.columns([2, 3], gap="large")
    with form:
        sound, broken = _sound()
        question = Question(sound, *_asked())
        ready = bool(question.wanted) and bool(sound or question.text) and not broken
        clicked = st.button("Ask", type="primary", disabled=not ready, icon=":material/hearing:")
    with picture:
        if broken:
            st.error(theme.plain(broken), icon=":material/error:")
        elif sound:
            _look(sound)
        else:
            st.info("Choose a sound, or ask without one.", icon=":material/graphic_eq:")
    if clicked:
        st.session_state["answered"] = (question.key, list(_answers(question)))
        st.rerun()
    key, answers = st.session_state.get("answered", (None, []))
    if answers and key == question.key:
        _beside(answers)


def _sound() -> tuple[Heard | None, str]:
    """The sound that was chosen, or why it cannot be used."""
    source = st.segmented_control(
        "Sound",
        SOURCES,
        default=SOURCES[0],
        key="listen-source",
        **theme.KEPT,
        required=True,
    )
    if source == "Demo":
        clips = {path.stem: path for path in sorted(PACKAGED.glob("*.opus"))}
        name = st.selectbox("Clip", list(clips), key="listen-clip", **theme.KEPT)
        return _decoded(clips[name].read_bytes(), f"{name}.opus") if name in clips else (None, "")
    if source == "Upload":
        types = [each.removeprefix(".") for each in SOUNDS]
        file = st.file_uploader("Sound file", types, key="listen-file")
        return _decoded(file.getvalue(), file.name) if file else (None, "")
    if source == "Record":
        file = st.audio_input("Recording", key="listen-recording")
        return _decoded(file.getvalue(), "recording.wav") if file else (None, "")
    return None, ""


def _decoded(content: bytes, name: str) -> tuple[Heard | None, str]:
    """A sound decoded once, however often the page is drawn again."""
    mark = (name, len(content), hash(content))
    held = st.session_state.get("heard")
    if held and held[0] == mark:
        return held[1], held[2]
    with st.spinner("Decoding …"):
        try:
            found: tuple[Heard | None, str] = (heard(content, name), "")
        except AudioError as error:
            found = (None, str(error))
    st.session_state["heard"] = (mark, *found)
    return found


def _asked() -> tuple[str, tuple[tuple[str, str], ...]]:
    """The words that go with the sound, and the models with their options."""
    wanted = st.multiselect(
        "Models",
        names(),
        default=["moonshine"],
        key="listen-models",
        max_selections=MOST,
        accept_new_options=True,
        wrap=True,
        placeholder="A name, or file.py:Class",
        help="Names of the catalogue; or path/file.py:Class in a folder the app may read.",
        **theme.KEPT,
    )
    st.caption(theme.plain("; ".join(filter(None, map(_about, wanted)))))
    text = st.text_area(
        "Prompt", key="listen-text", **theme.KEPT, height=68,
        placeholder="A question or an instruction, for models that take one",
    )  # fmt: skip
    given = []
    if wanted:
        with st.expander("Options of models"):
            for name in wanted:
                text_of = st.text_input(
                    theme.plain(short(name)), key=f"listen-options-{name}", **theme.KEPT,
                    placeholder="key=value key=value",
                )  # fmt: skip
                given.append((name, text_of))
    return text.strip(), tuple(given)


def names() -> list[str]:
    """Models by name, those that only pretend last."""
    return sorted(MODELS, key=lambda name: (name.startswith(FAKES), name))


def _about(name: str) -> str:
    return MODELS.summary(name) if name in set(MODELS) else ""


def _look(sound: Heard) -> None:
    """Play it, and show its waveform over its spectrogram."""
    st.audio(sound.samples, sample_rate=sound.rate)
    colours = theme.palette()
    theme.chart(waveform_chart(sound, colours))
    theme.chart(spectrogram_chart(sound, colours))
    channels = "mono" if sound.channels == 1 else f"{sound.channels} channels, mixed to one"
    above = " Above 8 kHz is not drawn." if sound.rate / 2 > HIGHEST else ""
    louder = "Brighter" if colours.is_dark else "Darker"
    st.caption(
        f"{theme.plain(sound.name)}: {sound.seconds:.2f} s at {sound.rate / 1000:g} kHz, "
        f"{channels}. Amplitude is of full scale. {louder} is louder, over 80 dB.{above}"
    )


def _answers(question: Question) -> Iterator[Answer]:
    """Ask one model after the other; what one does wrong is no other's trouble."""
    for name, text in question.wanted:
        with st.status(f"{theme.plain(short(name))} is listening …") as status:
            answer = _answer(question, name, text)
            status.update(state="error" if answer.error else "complete")
        yield answer


def _answer(question: Question, name: str, text: str) -> Answer:
    shelf = current()
    try:
        known, arguments = model_of(shelf, name), options(shelf, text)
        with models().held(known, arguments) as model:
            began = time.monotonic()
            audio = question.sound.audio if question.sound else None
            if model.streams and "generate" in model.can:
                output: Any = Generation(text=_streamed(model.stream(audio, question.text)))
            else:
                output = model.ask(audio, question.text)
            return Answer(short(known), time.monotonic() - began, output)
    except AuricleError as error:
        return Answer(short(name), error=str(error))
    except Exception as error:  # noqa: BLE001 - a model is anybody's code; its error is its answer
        return Answer(short(name), error=f"{type(error).__name__}: {told(error)}")


def _streamed(pieces: Iterator[str]) -> str:
    """Text as it comes, shown to the letter."""
    place, text = st.empty(), ""
    for piece in pieces:
        text += piece
        place.text(text)
    return text


def _beside(answers: list[Answer]) -> None:
    """Up to three in a row; four are two rows."""
    width = 2 if len(answers) == 4 else 3
    for start in range(0, len(answers), width):
        row = answers[start : start + width]
        for column, answer in zip(st.columns(len(row), gap="large"), row, strict=True):
            with column:
                st.subheader(theme.plain(answer.model), anchor=False)
                draw(answer)
