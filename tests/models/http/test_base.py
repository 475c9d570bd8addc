"""The HTTP client: statuses, timeouts, keys and redaction."""

import asyncio
import socket
import subprocess
import sys
import threading
import time
from typing import Any

import orjson
import pytest

from auricle import Settings
from auricle.core.errors import MissingExtra, Rejected, SpecError, Transient, Unreachable
from auricle.engine.retry import RetryingSender
from auricle.engine.slots import DirectSlot
from auricle.models.openai import Azure, OpenAI
from tests.support.http_servers import chat, closing_model, delta, http_reply, question, run_model, stream_reply

KEY = "sk-very-secret-1234567890"


QUICK = Settings(initial_backoff=0.001, max_attempts=6)


def model_at(*servers: Any, **options: Any) -> Any:
    urls = [server if isinstance(server, str) else server.url for server in servers]
    return OpenAI(**{"base_url": urls, "model": "fake", **options})


def asked(model: Any, request: Any = None, settings: Any = QUICK) -> Any:
    """Send a request with retries; return the answer and the number of attempts."""

    async def main() -> Any:
        async with closing_model(model):
            ask = RetryingSender(DirectSlot(model, 1), settings)
            return await ask(request or question()), ask.attempts

    return asyncio.run(main())


def error(status: Any, words: str = "no", **headers: Any) -> Any:
    return http_reply(status, {"error": {"message": words}}, headers)


@pytest.fixture
def free_port() -> Any:
    with socket.create_server(("127.0.0.1", 0)) as result:
        return result.getsockname()[1]


@pytest.mark.parametrize("status", [408, 409, 425, 429, 500, 502, 503, 504, 529])
def test_transient_status_is_retried(canned: Any, status: int) -> None:
    server = canned(error(status), error(status), chat("at last"))
    answer, attempts = asked(model_at(server))
    assert (answer.text, attempts, len(server.requests)) == ("at last", 3, 3)


@pytest.mark.parametrize("fault", ["408", "429", "500", "503", "drop", "cut", "garbage"])
@pytest.mark.parametrize("stream", [False, True])
def test_every_transient_fault_is_survived(serve: Any, fault: str, stream: bool) -> None:
    server = serve(faults={fault: 1.0}, fault_attempts=2, retry_after=0.01)
    answer, attempts = asked(model_at(server, stream=stream), question("one two three"))
    assert (answer.text, attempts) == ("one two three", 3)
    assert server.stats()["faults"] == {fault: 2}


@pytest.mark.parametrize("status", [400, 401, 403, 404, 413, 422, 201])
def test_final_refusal_is_reported_and_not_retried(canned: Any, status: int) -> None:
    server = canned(error(status, "that will not do"))
    with pytest.raises(Rejected, match=f"HTTP {status} from {server.host}: that will not do"):
        asked(model_at(server))
    assert len(server.requests) == 1


def test_redirect_is_reported_and_not_followed(canned: Any) -> None:
    server = canned(http_reply(307, headers={"Location": f"http://elsewhere/v1?key={KEY}"}))
    with pytest.raises(Rejected, match=r"HTTP 307 .* \(redirects to http://elsewhere") as caught:
        run_model(model_at(server, api_key=KEY))
    assert KEY not in str(caught.value)


def test_long_error_in_several_chunks_is_read_completely(canned: Any) -> None:
    def reply(handler: Any) -> None:
        handler.send_response(400)
        handler.send_header("Connection", "close")
        handler.end_headers()
        for piece in (b'{"error": {"mes', b'sage": "in two ', b'pieces"}}'):
            handler.wfile.write(piece)
            handler.wfile.flush()
            time.sleep(0.01)

    with pytest.raises(Rejected, match="in two pieces"):
        run_model(model_at(canned(reply)))


def test_truncated_error_keeps_its_status(canned: Any) -> None:
    def reply(handler: Any) -> None:
        handler.send_response(401)
        handler.send_header("Content-Length", "1000")
        handler.end_headers()
        handler.wfile.write(b"who are you")

    with pytest.raises(Rejected, match=r"HTTP 401 .*: who are you"):
        run_model(model_at(canned(reply)))


def test_retry_after_is_respected(canned: Any) -> None:
    server = canned(error(429, **{"Retry-After": "0.2"}), chat())
    began = time.monotonic()
    assert asked(model_at(server))[1] == 2
    assert time.monotonic() - began >= 0.2


def test_retry_after_of_hours_fails_the_sample_at_once(canned: Any) -> None:
    server = canned(error(429, "quota used up", **{"Retry-After": "7200"}))
    with pytest.raises(Transient, match="quota used up"):
        asked(model_at(server))
    assert len(server.requests) == 1


def test_silent_server_times_out(serve: Any) -> None:
    model = model_at(serve(faults={"hang": 1.0}), read_timeout=0.1)
    with pytest.raises(Transient, match=r"sent nothing for 0\.1 s"):
        run_model(model)


def test_stalled_stream_is_transient(canned: Any) -> None:
    hung = threading.Event()

    def reply(handler: Any) -> None:
        stream_reply(delta("well"), cut=True)(handler)
        hung.wait(5)

    with pytest.raises(Transient, match=r"sent nothing for 0\.1 s"):
        run_model(model_at(canned(reply), read_timeout=0.1, stream=True))
    hung.set()


def test_slow_answer_times_out(serve: Any) -> None:
    model = model_at(serve(faults={"endless": 1.0}), timeout=0.1)
    with pytest.raises(Transient, match=r"did not finish its answer within 0\.1 s"):
        run_model(model)


def test_endless_stream_is_refused(serve: Any) -> None:
    server = serve(faults={"endless": 1.0})
    with pytest.raises(Rejected, match=r"did not finish its answer within 0\.2 s \(\d+ characters"):
        asked(model_at(server, timeout=0.2, stream=True))
    assert server.stats()["faults"] == {"endless": 1}


def test_connection_timeout_is_reported() -> None:
    with socket.socket() as full:  # a queue of one that is never emptied
        full.bind(("127.0.0.1", 0))
        full.listen(0)
        waiting = [socket.socket() for _ in range(2)]
        for item in waiting:
            item.setblocking(False)
            item.connect_ex(full.getsockname())
        url = f"http://127.0.0.1:{full.getsockname()[1]}/v1"
        with pytest.raises(Unreachable, match=r"did not accept a connection within 0\.2 s"):
            run_model(model_at(url, connect_timeout=0.2))
        for item in waiting:
            item.close()


def test_closed_port_is_reported(free_port: Any) -> None:
    words = f"no connection to 127.0.0.1:{free_port}: Connection refused"
    with pytest.raises(Unreachable, match=words):
        run_model(model_at(f"http://127.0.0.1:{free_port}/v1"))


def test_plain_http_server_behind_https_url_is_reported(canned: Any) -> None:
    with pytest.raises(Unreachable, match=r"no connection to 127\.0\.0\.1.*SSL"):
        run_model(model_at(canned(chat()).url.replace("http:", "https:"), connect_timeout=2))


@pytest.mark.parametrize("stream", [False, True])
def test_key_and_audio_are_removed_from_error_messages(canned: Any, stream: bool) -> None:
    words = f"Bearer {KEY} may not send {'UklGRg' * 100}, sent {KEY}"
    server = canned(stream_reply({"error": words}) if stream else error(400, words))
    with pytest.raises((Rejected, Transient)) as caught:
        run_model(model_at(server, api_key=KEY, stream=stream))
    assert "may not send …, sent …" in str(caught.value)


def test_key_in_a_custom_header_is_redacted(canned: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MY_TOKEN", KEY)
    server = canned(error(401, f"{KEY} is unknown"))
    with pytest.raises(Rejected, match=": … is unknown"):
        run_model(model_at(server, headers={"X-Auth": "Token $MY_TOKEN"}))
    assert server.last.headers["x-auth"] == f"Token {KEY}"


def test_password_in_base_url_is_redacted(canned: Any) -> None:
    server = canned(error(400, "no, s3cr3t-word"))
    with pytest.raises(Rejected) as caught:
        run_model(model_at(server.url.replace("//", "//me:s3cr3t-word@")))
    assert str(caught.value) == f"HTTP 400 from {server.host}: no, …"
    assert server.last.headers["authorization"].startswith("Basic ")


def test_key_and_password_together_are_refused() -> None:
    with pytest.raises(SpecError, match="Cannot send both"):
        model_at("http://me:password@127.0.0.1:1/v1", api_key=KEY)


def test_long_messages_are_shortened(canned: Any) -> None:
    with pytest.raises(Rejected) as caught:
        run_model(model_at(canned(error(400, "no " * 1000))))
    assert len(str(caught.value)) < 400


def test_no_authorization_header_without_a_key(canned: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    server = canned(chat())
    run_model(model_at(server))
    assert "authorization" not in server.last.headers


def test_azure_uses_its_own_path_and_header(serve: Any, canned: Any) -> None:
    options = {"model": "mine", "api_key": KEY, "api_version": "2024-10-21"}
    server = canned(chat())
    run_model(Azure(base_url=server.url.removesuffix("/v1"), **options))
    path = "/openai/deployments/mine/chat/completions?api-version=2024-10-21"
    assert server.last.path == path
    assert server.last.headers["api-key"] == KEY
    assert "authorization" not in server.last.headers
    fake = serve(key=KEY).url.removesuffix("/v1")
    assert run_model(Azure(base_url=fake, **options)).text == "hello there"


def test_azure_requires_a_base_url() -> None:
    with pytest.raises(SpecError, match="missing base_url"):
        Azure(model="mine", api_key=KEY)


def test_missing_package_is_reported_before_anything_is_sent(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("auricle.models.listing.find_spec", lambda _: None)
    with pytest.raises(MissingExtra, match=r"auricle\[api\]"):
        model_at("http://127.0.0.1:1/v1")


def test_http_client_is_imported_only_when_a_model_is_created() -> None:
    code = (
        "import sys, auricle.models.catalogue as c; c.MODELS.get('openai'); c.MODELS.get('gemini'); "
        "c.MODELS.get('transcription'); print('aiohttp' in sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert done.stdout == "False\n", done.stderr


def test_requests_are_divided_among_models_by_their_weights() -> None:
    model = OpenAI(base_url="http://127.0.0.1:9/v1", models={"base": 3, "lora-a": 1})
    names = [model.choose_model(question(f"question {index}")) for index in range(2000)]
    assert names.count("lora-a") == pytest.approx(500, abs=80)
    assert names == [model.choose_model(question(f"question {index}")) for index in range(2000)]
    bodies = [orjson.loads(model.prepare(question(f"question {index}")).body)["model"] for index in range(20)]
    assert bodies == names[:20]


@pytest.mark.parametrize("weight", [0, -1, "2"])
def test_weights_of_models_are_positive_numbers(weight: Any) -> None:
    with pytest.raises(SpecError, match="weights of models must be numbers above 0"):
        OpenAI(base_url="http://127.0.0.1:9/v1", models={"base": weight})
