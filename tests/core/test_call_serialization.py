"""Recordings of calls as JSON."""

from dataclasses import replace
from typing import Any, get_args

import orjson
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from auricle.core.call_serialization import decode_event, encode_event
from auricle.core.calls import CallRecording, Event, EventKind, EventSide, Pacing, Span, StepKind
from auricle.core.serialization import decode_record, dumps, encode_record
from auricle.core.types import Generation, Record, Sample
from auricle.media import Audio
from tests.support.calls import make_recording

TIMES = st.floats(-1e6, 1e6)
TEXTS = st.text(max_size=8).filter(lambda text: text.isprintable())
DATA = st.dictionaries(
    TEXTS,
    st.recursive(
        st.none() | st.booleans() | st.integers(-(2**40), 2**40) | TIMES | TEXTS,
        lambda inner: st.lists(inner, max_size=2),
    ),
    max_size=3,
)
EVENTS = st.builds(
    Event,
    at=TIMES,
    side=st.sampled_from(get_args(EventSide)),
    kind=st.sampled_from(EventKind),
    type=TEXTS,
    item=TEXTS,
    text=TEXTS,
    position=st.none() | TIMES,
    seconds=st.none() | TIMES,
    words=st.none() | st.lists(st.tuples(TEXTS, TIMES, TIMES), max_size=2).map(tuple),
    data=DATA,
)
SPANS = st.builds(
    Span,
    start=TIMES,
    end=TIMES,
    kind=st.sampled_from((*get_args(StepKind), "agent")),
    step=st.none() | st.integers(0, 50),
    text=TEXTS,
)
RECORDINGS = st.builds(
    CallRecording,
    events=st.lists(EVENTS, max_size=3).map(tuple),
    caller=st.lists(SPANS, max_size=2).map(tuple),
    agent=st.lists(SPANS, max_size=2).map(tuple),
    seconds=TIMES,
    finish=st.sampled_from(["completed", "limit"]),
    audio=st.none() | st.just(Audio("calls/a.flac")),
    agent_pauses=st.lists(st.tuples(TIMES, TIMES), max_size=2).map(tuple),
    merge_seconds=TIMES,
    pacing=st.none() | st.builds(Pacing, frames=st.integers(0, 9), p50=TIMES, p99=TIMES, max=TIMES),
    usage=st.dictionaries(TEXTS, TIMES, max_size=2),
)


def round_trip(record: Record) -> tuple[Any, bytes]:
    line = encode_record(record)
    return decode_record(orjson.loads(line)), line


@settings(max_examples=150, deadline=None)
@given(RECORDINGS)
@pytest.mark.thorough
def test_a_recording_is_decoded_as_encoded_and_encoded_the_same_again(recording: CallRecording) -> None:
    outputs = (recording, Generation(text="hello", call=recording))
    record = Record(sample=Sample(id="a", inputs={}), row=0, outputs=outputs)
    decoded, line = round_trip(record)
    assert decoded == record
    assert encode_record(decoded) == line


def test_fields_of_events_that_are_unknown_are_left_out() -> None:
    event = Event(at=1.5, side="received", kind=EventKind.AUDIO, item="r1", seconds=0.0)
    assert dumps(encode_event(event)) == b'{"at":1.5,"side":"received","kind":"audio","item":"r1","seconds":0.0}\n'
    assert decode_event({**encode_event(event), "colour": "red"}) == event


def test_audio_in_memory_is_not_part_of_the_line() -> None:
    recording = replace(make_recording(), audio=Audio(data=b"SECRETBYTES"))
    _, line = round_trip(Record(sample=Sample(id="a", inputs={}), row=0, outputs=(recording,)))
    assert b"SECRETBYTES" not in line
