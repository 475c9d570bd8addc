"""Which handshakes are accepted, and which protocol a client gets."""

import pytest

from auricle.testing.fake_server.realtime.handler import RealtimeHandler, choose_dialect, get_protocol_key
from auricle.testing.fake_server.realtime.script import RealtimeScript

PATH = "/v1/realtime"
GEMINI = "/ws/google.ai.generativelanguage.v1beta.GenerativeService.BidiGenerateContent"


@pytest.mark.parametrize(
    ("path", "expected"),
    [
        (PATH, True),
        ("/openai/v1/realtime", True),
        (GEMINI, True),
        ("/v1/realtime/x", False),
        ("/v1/chat/completions", False),
    ],
)
def test_only_paths_of_realtime_protocols_are_accepted(path: str, expected: bool) -> None:
    assert RealtimeHandler(RealtimeScript()).accepts(path) is expected


def test_the_client_chooses_the_dialect_unless_the_script_does() -> None:
    script = RealtimeScript()
    assert choose_dialect(PATH, {"model": "x"}, {}, script).name == "openai"
    assert choose_dialect(PATH, {"model": "x"}, {"OpenAI-Beta": "realtime=v1"}, script).name == "openai-beta"
    assert choose_dialect(PATH, {}, {}, script).name == "vllm"
    assert choose_dialect(PATH, {}, {"Sec-WebSocket-Protocol": "realtime"}, script).name == "openai"
    assert choose_dialect(GEMINI, {}, {}, script).name == "gemini"
    assert choose_dialect(PATH, {"model": "x"}, {}, RealtimeScript(dialect="openai-beta")).name == "openai-beta"
    assert choose_dialect(PATH, {"model": "x"}, {}, RealtimeScript(dialect="vllm")).name == "vllm"


def test_a_transcription_session_is_asked_for_in_the_query() -> None:
    dialect = choose_dialect(PATH, {"intent": "transcription"}, {}, RealtimeScript())
    assert dialect.settings.only_transcribes
    assert not choose_dialect(PATH, {"model": "x"}, {}, RealtimeScript()).settings.only_transcribes


def test_refusals_end_after_the_sessions_with_faults() -> None:
    handler = RealtimeHandler(RealtimeScript(refuse="401", fault_sessions=2))
    assert [handler.find_refusal() for _ in range(3)] == [401, 401, None]
    assert RealtimeHandler(RealtimeScript(refuse="error")).find_refusal() is None


def test_browsers_send_their_key_as_a_protocol() -> None:
    headers = {"Sec-WebSocket-Protocol": "realtime, openai-insecure-api-key.secret"}
    assert get_protocol_key(headers) == "secret"
    assert get_protocol_key({}) is None
