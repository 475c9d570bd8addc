"""vLLM's realtime protocol: OpenAI's names for streamed transcription, with other fields and meanings."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Any

from auricle.testing.fake_server.realtime.dialect import (
    AppendAudio,
    ClientAction,
    Commit,
    Configure,
    Dialect,
    Document,
    Message,
    ProtocolError,
    StartActivity,
    Turn,
    decode_audio,
    parse_json,
    render,
)

RATE = 16_000


class VllmDialect(Dialect):
    """vLLM's realtime protocol; it has no turn detection and no answers.

    Args:
        models: The only models that exist. Default: all do.
    """

    name = "vllm"

    def __init__(self, models: Collection[str] = ()) -> None:
        super().__init__()
        self.settings.detects_turns = False
        self.settings.transcribes = self.settings.only_transcribes = True
        self._models = models
        self._has_model = False
        self._is_generating = False

    def read(self, content: str | bytes) -> list[ClientAction]:
        event = parse_json(content)
        match event.get("type"):
            case "input_audio_buffer.append":
                return [AppendAudio(decode_audio(event.get("audio")), RATE)]
            case "session.update":
                model = event.get("model")
                if not isinstance(model, str):
                    raise ProtocolError("invalid_event", "session.update must have a model.")
                if self._models and model not in self._models:
                    raise ProtocolError("model_not_found", f"The model `{model}` does not exist.")
                self._has_model = True
                return [Configure()]
            case "input_audio_buffer.commit":
                return self._commit(is_final=bool(event.get("final")))
            case other:
                raise ProtocolError("unknown_event", f"Unknown event type: {other}")

    def _commit(self, *, is_final: bool) -> list[ClientAction]:
        """Start to generate, or end the utterance; a further start is ignored."""
        if not self._has_model:
            raise ProtocolError("model_not_validated", "Model not validated. Send session.update first.")
        if is_final:
            self._is_generating = False
            return [Commit(if_empty="accept")]
        if self._is_generating:
            return []
        self._is_generating = True
        return [StartActivity()]

    def opened(self) -> list[Message]:
        return [_event("session.created", id="sess-fake", created=0)]

    def configured(self) -> list[Message]:
        return []

    def error(self, error: ProtocolError) -> list[Message]:
        return [_event("error", error=error.message, code=error.code)]

    def partial_transcript(self, turn: Turn, words: Sequence[str]) -> list[Message]:
        return [_delta(turn, words)]

    def final_transcript(self, turn: Turn) -> list[Message]:
        words = turn.transcript.split()
        deltas = [_delta(turn, words)] if turn.words_sent < len(words) else []
        prompt = round((turn.end - turn.start) * 10)
        usage: Document = {"prompt_tokens": prompt, "completion_tokens": len(words)}
        usage["total_tokens"] = prompt + len(words)
        return [*deltas, _event("transcription.done", text=turn.transcript, usage=usage)]


def _delta(turn: Turn, words: Sequence[str]) -> Message:
    text = " ".join(words[turn.words_sent :])
    return _event("transcription.delta", delta=f" {text}" if turn.words_sent else text)


def _event(type_: str, **fields: Any) -> Message:
    return Message(type_, render({"type": type_, **fields}))
