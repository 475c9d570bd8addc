"""The server of a listening test, over HTTP."""

import http.client
import json
import socket
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest

from auricle.studies.people.page.server import MAX_BODY_BYTES, ListenOptions, ListenServer
from auricle.studies.people.ratings import read_ratings
from tests.support.listening_tests import SYSTEMS, make_test, pass_time


@pytest.fixture
def server(tmp_path: Path) -> Iterator[ListenServer]:
    make_test(tmp_path, "mos", items=3, listeners=3, traps=0, repeat_checks=0)
    server = ListenServer(ListenOptions(tmp_path / "mos", port=0), on_finished=finished.set)
    finished.clear()
    threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True).start()
    yield server
    server.shutdown()
    server.server_close()


finished = threading.Event()


def request(server: ListenServer, path: str, body: Any = None, **headers: str) -> tuple[int, Any, bytes]:
    connection = http.client.HTTPConnection("127.0.0.1", server.server_address[1], timeout=10)
    content = body if isinstance(body, bytes | None) else json.dumps(body).encode()
    connection.request("GET" if body is None else "POST", path, content, headers)
    response = connection.getresponse()
    document = response.read()
    connection.close()
    return response.status, response.headers, document


def path_of(url: str) -> str:
    return urlsplit(url).path


def test_a_listener_answers_all_trials(server: ListenServer) -> None:
    page = path_of(server.listener_urls()["L01"])
    status, headers, _ = request(server, page)
    assert status == 200
    assert "default-src 'none'" in headers["Content-Security-Policy"]
    for _ in range(3):
        state = json.loads(request(server, f"{page}/state")[2])
        trial = state["trial"]
        status, headers, sound = request(server, f"{page}/sound/{trial['id']}/A")
        assert (status, headers["Content-Type"], sound[:4]) == (200, "audio/wav", b"RIFF")
        pass_time(server.session)
        body = {"trial": trial["id"], "nonce": trial["nonce"], "answers": {"A": 3}, "played": trial["seconds"]}
        status, _, answer = request(server, f"{page}/answer", body)
        assert status == 200
    assert json.loads(answer)["trial"] is None
    assert finished.wait(5)
    assert len(read_ratings(server.session.folder)[0]) == 3


def test_no_page_and_no_header_names_a_system(server: ListenServer) -> None:
    page = path_of(server.listener_urls()["L02"])
    paths = [page, f"{page}/state", f"{page}/sound/t001/A", "/static/page.js", "/static/page.css"]
    for path in [*paths, path_of(server.enrolment_url), "/"]:
        _, headers, content = request(server, path)
        text = f"{headers}".lower().encode() + content.lower()
        assert not any(system.encode() in text for system in SYSTEMS)


def test_nothing_is_served_without_a_token(server: ListenServer) -> None:
    for path in ("/", "/test.json", "/l/guess", "/l/guess/state", "/join/guess", "/static/../links.json", "/l"):
        assert request(server, path)[0] == 404
    assert request(server, "/l/guess/answer", {})[0] == 404
    page = path_of(server.listener_urls()["L01"])
    assert request(server, f"{page}/sound/t001/../../links.json")[0] == 404


def test_a_person_who_enrols_is_sent_to_a_page_of_their_own(server: ListenServer) -> None:
    path = path_of(server.enrolment_url)
    assert b"Take part" in request(server, path)[2]
    places = [request(server, path, b"")[1]["Location"] for _ in range(3)]
    assert len(set(places)) == 3
    assert request(server, places[0].replace("..", ""))[0] == 200
    status, _, content = request(server, path, b"")
    assert status == 409
    assert b"All places of this test are taken" in content


@pytest.mark.parametrize(
    ("body", "message"),
    [(b"{", "not valid JSON"), (b"[]", "not a JSON object"), ({"trial": "t009"}, "not the trial"), (b"", "not valid")],
)
def test_answers_that_cannot_be_stored_are_refused_with_the_reason(
    server: ListenServer, body: Any, message: str
) -> None:
    status, _, content = request(server, f"{path_of(server.listener_urls()['L01'])}/answer", body)
    assert status == 400
    assert message in json.loads(content)["error"]


def test_a_huge_answer_is_not_read(server: ListenServer) -> None:
    headers = {"Content-Length": str(MAX_BODY_BYTES + 1)}
    page = path_of(server.listener_urls()["L01"])
    assert request(server, f"{page}/answer", b"x", **headers)[0] == 400
    assert read_ratings(server.session.folder)[0] == []


def test_links_have_the_public_address_of_a_proxy(tmp_path: Path) -> None:
    make_test(tmp_path, "ab", items=3, listeners=3)
    server = ListenServer(ListenOptions(tmp_path / "ab", port=0, public_url="https://lab.example/listen/"))
    server.server_close()
    assert all(url.startswith("https://lab.example/listen/l/") for url in server.listener_urls().values())


@pytest.mark.parametrize(
    "headers", ["Content-Length: ²", "Content-Length: 2\r\nContent-Length: 40", "Transfer-Encoding: chunked"]
)
def test_a_request_without_a_clear_end_is_refused_and_the_connection_closed(server: ListenServer, headers: str) -> None:
    page = path_of(server.listener_urls()["L01"])
    with socket.create_connection(("127.0.0.1", server.server_address[1]), timeout=10) as client:
        client.sendall(f"POST {page}/answer HTTP/1.1\r\nHost: x\r\n{headers}\r\n\r\n".encode("latin-1"))
        answer = b"".join(iter(lambda: client.recv(4096), b""))  # until the server closes it
    assert answer.startswith(b"HTTP/1.1 400")
    assert answer.count(b"HTTP/1.1") == 1


def test_behind_a_proxy_people_have_the_address_that_it_states(tmp_path: Path) -> None:
    make_test(tmp_path, "ab", items=3, listeners=3)
    options = ListenOptions(tmp_path / "ab", port=0, public_url="https://lab.example", places_per_address=1)
    with ListenServer(options) as server:
        threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True).start()
        path = f"/join/{server.session.links.enrolment}"
        statuses = [
            request(server, path, b"", **{"X-Forwarded-For": address})[0]
            for address in ("10.0.0.1", "10.0.0.9, 10.0.0.1", "10.0.0.2")
        ]
        server.shutdown()
    assert statuses == [303, 409, 303]


def test_a_sound_that_is_gone_is_reported_to_both_sides(server: ListenServer, capsys: Any) -> None:
    page = path_of(server.listener_urls()["L01"])
    path = server.session.find_sound(server.session.test.listeners[0], "t001", "A")
    assert path is not None
    path.unlink()
    assert request(server, f"{page}/sound/t001/A")[0] == 500
    assert path.name in capsys.readouterr().err


def test_an_answer_that_cannot_be_written_is_asked_for_again(
    server: ListenServer, monkeypatch: pytest.MonkeyPatch, capsys: Any
) -> None:
    page = path_of(server.listener_urls()["L01"])
    trial = json.loads(request(server, f"{page}/state")[2])["trial"]
    pass_time(server.session)
    body = {"trial": trial["id"], "nonce": trial["nonce"], "answers": {"A": 3}, "played": trial["seconds"]}
    with monkeypatch.context() as patch:
        patch.setattr("os.fsync", refuse_to_sync)
        status, _, content = request(server, f"{page}/answer", body)
    assert (status, "could not be stored" in json.loads(content)["error"]) == (500, True)
    assert "An answer of L01 could not be stored: disk full" in capsys.readouterr().err
    assert request(server, f"{page}/answer", body)[0] == 200


def refuse_to_sync(_: int) -> None:
    raise OSError("disk full")
