"""vLLM's realtime protocol."""

import asyncio
from typing import Any

import pytest

from auricle.core.calls import EndOfAudio, EndOfTurn, EventKind
from auricle.core.errors import Rejected, Transient
from auricle.models.sessions.realtime import Realtime
from auricle.models.sessions.vllm_realtime import VLLMRealtime
from tests.support.websocket_servers import Line, ScriptedServer, call, frame, hold, kinds, scripted

CREATED = {"type": "session.created", "id": "sess-1", "created": 1}


def model_at(url: str) -> Realtime:
    return Realtime(base_url=f"{url}/v1", model="voxtral", dialect="vllm")


def transcribed(handler: Any, *script: Any) -> tuple[Any, ScriptedServer]:
    async def main() -> tuple[Any, ScriptedServer]:
        async with scripted(handler) as server:
            return await hold(model_at(server.url), script, call(mode="transcribe")), server

    return asyncio.run(main())


async def recognise(line: Line) -> None:
    await line.send(CREATED)
    await line.receive_until("session.update")
    while await line.receive_until("input_audio_buffer.commit"):
        if line.received[-1].get("final"):
            await line.send(
                {"type": "transcription.delta", "delta": "good"},
                {"type": "transcription.delta", "delta": ""},
                {"type": "transcription.delta", "delta": " day"},
                {"type": "transcription.done", "text": "Good day.", "usage": {"prompt_tokens": 3, "total_tokens": 5}},
            )


def test_an_utterance_is_committed_first_then_streamed_then_finished() -> None:
    events, server = transcribed(recognise, frame(), frame(), EndOfAudio(), EventKind.USAGE)
    line = server.lines[0]
    assert line.request.path_qs == "/v1/realtime"
    assert line.received[0] == {"type": "session.update", "model": "voxtral"}
    assert [(message["type"].rpartition(".")[2], message.get("final")) for message in line.received[1:]] == [
        ("commit", None),
        ("append", None),
        ("append", None),
        ("commit", True),
    ]
    assert kinds(events) == ["ready", "partial", "partial", "final", "usage"]
    assert [event.text for event in events[1:4]] == ["good", "good day", "Good day."]
    assert events[-1].data == {"input_tokens": 3, "total_tokens": 5}


def test_audio_of_the_next_utterance_waits_for_the_final_text_of_the_previous() -> None:
    protocol = VLLMRealtime(call(mode="transcribe"), str, "m")
    inputs = (frame(), EndOfTurn(), frame(), EndOfAudio())
    assert [len(list(protocol.encode(item))) for item in inputs] == [2, 1, 0, 0]
    list(protocol.read({"type": "transcription.done", "text": "one"}))
    assert len(list(protocol.release())) == 3


def test_utterances_that_waited_are_transcribed_without_further_audio() -> None:
    async def slow(line: Line) -> None:
        await line.send(CREATED)
        for word in ("one", "two"):
            while not (await line.receive_until("input_audio_buffer.commit")).get("final"):
                pass
            await asyncio.sleep(0.05)
            await line.send({"type": "transcription.done", "text": word})
        await line.receive_all()

    events, _ = transcribed(slow, frame(), EndOfTurn(), frame(), EndOfAudio(), EventKind.FINAL, EventKind.FINAL)
    finals = [(event.item, event.text) for event in events if event.kind is EventKind.FINAL]
    assert finals == [("utterance-1", "one"), ("utterance-2", "two")]


@pytest.mark.parametrize(
    ("code", "kind"),
    [("model_not_found", Rejected), ("model_not_validated", Rejected), ("processing_error", Transient)],
)
def test_an_error_after_which_no_text_follows_fails_the_call(code: str, kind: type[Exception]) -> None:
    async def refuse(line: Line) -> None:
        await line.send(CREATED, {"type": "error", "error": "It does not exist", "code": code})
        await line.receive_all()

    with pytest.raises(kind, match="It does not exist"):
        transcribed(refuse, frame(), EventKind.FINAL)


def test_other_errors_and_unknown_messages_are_logged() -> None:
    async def complain(line: Line) -> None:
        await line.send(CREATED, {"type": "error", "error": "bad audio", "code": "invalid_audio"}, {"type": "news"})
        await recognise(line)

    events, _ = transcribed(complain, frame(), EndOfAudio(), EventKind.FINAL)
    errors = [event for event in events if event.kind is EventKind.ERROR]
    assert [(event.text, event.data["code"]) for event in errors] == [("bad audio", "invalid_audio")]
    assert [event.type for event in events if event.kind is EventKind.OTHER] == ["news"]


def test_it_holds_no_conversation() -> None:
    with pytest.raises(Rejected, match="only transcribes"):
        VLLMRealtime(call(), str, "m")
