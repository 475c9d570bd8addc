import http.client
import json
import threading
from collections import Counter

import pytest

from auricle.testing.fake_server import Script, compute_digest
from tests.testing.fake_server.conftest import (
    CHAT_PATH,
    TRANSCRIPTION_PATH,
    StartServer,
    chat,
    chat_body,
    connect,
    eventually,
    send,
    upload,
)

# --- routes and access -------------------------------------------------------------


def test_azure_names_the_model_in_the_path(start_server: StartServer) -> None:
    server = start_server(key="secret", models=("mine",))
    path = "/openai/deployments/mine/chat/completions?api-version=2024-10-21"
    content = json.dumps({"messages": [{"role": "user", "content": "hi"}]})
    reply = send(server, path, content, {"api-key": "secret"})
    assert reply.text() == "hi"
    assert reply.json()["model"] == "mine"


def test_models_are_listed(start_server: StartServer) -> None:
    reply = send(start_server(models=("a", "b")), "/v1/models", method="GET")
    assert [model["id"] for model in reply.json()["data"]] == ["a", "b"]


def test_unknown_path_is_not_found(start_server: StartServer) -> None:
    server = start_server()
    assert send(server, "/v1/other", b"{}").status == 404
    assert send(server, CHAT_PATH, method="GET").status == 404


def test_wrong_key_is_rejected(start_server: StartServer) -> None:
    server = start_server(key="secret")
    rejected = chat(server, headers={"Authorization": "Bearer wrong"})
    assert rejected.status == 401
    assert rejected.json()["error"]["code"] == "invalid_api_key"
    assert chat(server).status == 401
    for headers in ({"Authorization": "Bearer secret"}, {"api-key": "secret"}, {"x-goog-api-key": "secret"}):
        assert chat(server, headers=headers).status == 200


def test_unknown_model_is_rejected(start_server: StartServer) -> None:
    reply = chat(start_server(models=("other",)))
    assert reply.status == 404
    assert reply.json()["error"]["code"] == "model_not_found"


def test_requests_above_the_capacity_are_rejected(start_server: StartServer) -> None:
    server = start_server(capacity=2, faults={"hang": 1}, retry_after=3)
    waiting = [connect(server.url) for _ in range(2)]
    for connection in waiting:
        connection.request("POST", CHAT_PATH, chat_body())
    assert eventually(lambda: server.stats()["at_once"] == 2)
    rejected = chat(server)
    assert rejected.status == 429
    assert rejected.headers["Retry-After"] == "3"
    for connection in waiting:
        connection.close()
    assert eventually(lambda: server.stats()["at_once"] == 0)
    stats = server.stats()
    assert stats["most_at_once"] == 3
    assert stats["refused"] == {"rate_limit_exceeded": 1}
    assert sum(stats["received"].values()) == 2


# --- faults ------------------------------------------------------------------------


@pytest.mark.parametrize("kind", ["400", "401", "404", "408", "429", "500", "503"])
def test_fault_may_be_a_status(start_server: StartServer, kind: str) -> None:
    server = start_server(faults={kind: 1}, retry_after=0.25)
    reply = chat(server)
    assert reply.status == int(kind)
    assert reply.json()["error"]["message"].startswith("Scripted fault: ")
    assert reply.headers.get("Retry-After") == ("0.25" if kind == "429" else None)
    assert server.stats()["faults"] == {kind: 1}
    assert server.stats()["answered"] == {}


def test_fault_may_drop_the_connection(start_server: StartServer) -> None:
    with pytest.raises(http.client.RemoteDisconnected):
        chat(start_server(faults={"drop": 1}))


def test_fault_may_cut_a_reply(start_server: StartServer) -> None:
    with pytest.raises(http.client.IncompleteRead) as caught:
        chat(start_server(faults={"cut": 1}))
    assert caught.value.expected is not None
    assert len(caught.value.partial) - caught.value.expected in (0, -1)


@pytest.mark.parametrize("pace", [None, 200])
def test_fault_may_cut_a_stream(start_server: StartServer, pace: int | None) -> None:
    with pytest.raises(http.client.IncompleteRead) as caught:
        chat(start_server(faults={"cut": 1}, pace=pace), "a b c d", stream=True)
    assert caught.value.partial.count(b'"content"') == 3
    assert b"[DONE]" not in caught.value.partial


def test_fault_may_be_a_web_page(start_server: StartServer) -> None:
    reply = chat(start_server(faults={"html": 1}))
    assert reply.status == 200
    assert reply.headers["Content-Type"].startswith("text/html")


@pytest.mark.parametrize("stream", [False, True])
def test_fault_may_be_invalid_json(start_server: StartServer, stream: bool) -> None:
    reply = chat(start_server(faults={"garbage": 1}), stream=stream)
    assert reply.status == 200
    with pytest.raises(json.JSONDecodeError):
        json.loads(reply.content.removeprefix(b"data: "))


def test_fault_may_be_an_empty_answer(start_server: StartServer) -> None:
    server = start_server(faults={"empty": 1})
    assert chat(server).text() == ""
    assert chat(server, stream=True).deltas() == [{"role": "assistant", "content": ""}, {}]
    assert server.stats()["faults"] == {"empty": 2}
    assert server.stats()["answered"] == {}


def test_fault_may_hang_until_the_client_disconnects(start_server: StartServer) -> None:
    server = start_server(faults={"hang": 1})
    with pytest.raises(TimeoutError):
        chat(server, timeout=0.1)
    assert eventually(lambda: server.stats()["abandoned"] == 1)
    assert server.stats()["at_once"] == 0


@pytest.mark.slow
@pytest.mark.parametrize("stream", [False, True])
def test_fault_may_be_an_endless_reply(start_server: StartServer, stream: bool) -> None:
    server = start_server(faults={"endless": 1})
    connection = connect(server.url)
    connection.request("POST", CHAT_PATH, chat_body(stream=stream))
    response = connection.getresponse()
    assert len(response.read(20)) == 20
    assert len(response.read(20)) == 20
    connection.close()
    response.close()
    assert eventually(lambda: server.stats()["abandoned"] == 1)


def test_faults_are_those_of_the_script(start_server: StartServer) -> None:
    script = Script(faults={"429": 0.3, "500": 0.2, "empty": 0.1}, seed=7)
    server = start_server(faults=script.faults, seed=7)
    for number in range(100):
        chat(server, f"number {number}")
    digests = [compute_digest(chat_body(f"number {number}")) for number in range(100)]
    faults = [script.draw_fault(digest, 1) for digest in digests]
    stats = server.stats()
    assert stats["faults"] == Counter(fault for fault in faults if fault)
    assert stats["answered"] == {digest: 1 for digest, fault in zip(digests, faults, strict=True) if not fault}


def test_body_is_answered_after_its_faulty_attempts(start_server: StartServer) -> None:
    server = start_server(faults={"503": 1}, fault_attempts=2)
    assert [chat(server).status for _ in range(3)] == [503, 503, 200]


# --- counts ------------------------------------------------------------------------


def test_every_request_is_counted_once(start_server: StartServer) -> None:
    server = start_server()
    for text in ("a", "b", "b"):
        chat(server, text)
    upload(server)
    send(server, "/v1/models", method="GET")
    stats = send(server, "/stats", method="GET").json()
    assert stats == server.stats()
    assert stats["requests"] == {CHAT_PATH: 3, TRANSCRIPTION_PATH: 1, "/v1/models": 1}
    assert stats["received"] == stats["answered"]
    assert stats["answered"][compute_digest(chat_body("a"))] == 1
    assert stats["answered"][compute_digest(chat_body("b"))] == 2
    assert stats["faults"] == {}
    assert stats["abandoned"] == 0


def test_same_upload_has_the_same_digest(start_server: StartServer) -> None:
    server = start_server()
    upload(server)
    upload(server)
    assert list(server.stats()["answered"].values()) == [2]


def test_concurrent_requests_are_all_counted(start_server: StartServer) -> None:
    server = start_server(latency=0.02)

    def send_ten(client: int) -> None:
        for number in range(10):
            chat(server, f"{client} {number}")

    threads = [threading.Thread(target=send_ten, args=(client,)) for client in range(10)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    stats = server.stats()
    assert len(stats["answered"]) == 100
    assert set(stats["answered"].values()) == {1}
    assert 1 < stats["most_at_once"] <= 10
