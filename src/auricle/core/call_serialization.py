"""Encode the recordings of calls as JSON, and their events as lines of a log. Values that are unknown are left out."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import MISSING, asdict, fields
from typing import Any

from auricle.core.calls import CallRecording, Event, EventKind, Pacing, Span
from auricle.media import Audio

JsonObject = dict[str, Any]

_EVENT_DEFAULTS = {field.name: field.default for field in fields(Event) if field.default is not MISSING}


def encode_event(event: Event) -> JsonObject:
    """Return an event without the fields that have their defaults."""
    line: JsonObject = {"at": event.at, "side": event.side, "kind": event.kind.value}
    for name, default in _EVENT_DEFAULTS.items():
        if (value := getattr(event, name)) != default:
            line[name] = value
    if event.data:
        line["data"] = dict(event.data)
    return line


def decode_event(line: Mapping[str, Any]) -> Event:
    """Return the event of a line of JSON; unknown fields are ignored."""
    values = {name: line[name] for name in _EVENT_DEFAULTS if name in line}
    if values.get("words") is not None:
        values["words"] = tuple(tuple(word) for word in values["words"])
    return Event(at=line["at"], side=line["side"], kind=EventKind(line["kind"]), data=line.get("data", {}), **values)


def encode_recording(recording: CallRecording) -> JsonObject:
    line: JsonObject = {
        "kind": "CallRecording",
        "seconds": recording.seconds,
        "finish": recording.finish,
        "caller": [_encode_span(span) for span in recording.caller],
        "agent": [_encode_span(span) for span in recording.agent],
        "agent_pauses": recording.agent_pauses,
        "merge_seconds": recording.merge_seconds,
        "events": [encode_event(event) for event in recording.events],
    }
    if recording.audio is not None:
        line["audio"] = recording.audio
    if recording.pacing is not None:
        line["pacing"] = asdict(recording.pacing)
    if recording.unreached:
        line["unreached"] = recording.unreached
    if recording.earlier_drops:
        line["earlier_drops"] = recording.earlier_drops
    if recording.usage:
        line["usage"] = dict(recording.usage)
    return line


def decode_recording(line: Mapping[str, Any], decode_audio: Callable[[JsonObject], Audio]) -> CallRecording:
    """Return the recording that `encode_recording` encoded."""
    return CallRecording(
        events=tuple([decode_event(event) for event in line["events"]]),
        caller=tuple([_decode_span(span) for span in line["caller"]]),
        agent=tuple([_decode_span(span) for span in line["agent"]]),
        seconds=line["seconds"],
        finish=line["finish"],
        unreached=tuple(line.get("unreached", ())),
        earlier_drops=line.get("earlier_drops", 0),
        audio=decode_audio(line["audio"]) if "audio" in line else None,
        agent_pauses=tuple([(start, end) for start, end in line["agent_pauses"]]),
        merge_seconds=line["merge_seconds"],
        pacing=Pacing(**line["pacing"]) if "pacing" in line else None,
        usage=line.get("usage", {}),
    )


def _encode_span(span: Span) -> JsonObject:
    return {name: value for name, value in asdict(span).items() if value not in (None, "")}


def _decode_span(line: Mapping[str, Any]) -> Span:
    return Span(
        start=line["start"], end=line["end"], kind=line["kind"], step=line.get("step"), text=line.get("text", "")
    )
