"""Serve a listening test to people with a link (`auricle listen-test serve`).

The server is separate from the app: listeners can reach the sounds of their own trials and nothing else. Every request
needs the token of a listener, or the one for enrolment, in its path.
"""

from __future__ import annotations

import json
import sys
import threading
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from html import escape
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from importlib.resources import files
from pathlib import Path
from secrets import compare_digest
from typing import Any, cast

import orjson

from auricle.app.server import LOCAL_HOSTS, find_free_port
from auricle.core.errors import AuricleError
from auricle.core.files import read_regular_file
from auricle.studies.people.description import Listener
from auricle.studies.people.page.session import PLACES_PER_ADDRESS, ListeningSession, NoFreePlace
from auricle.studies.people.ratings import InvalidAnswer

MAX_BODY_BYTES = 65_536
IDLE_SECONDS = 120
"""Time after which a connection without requests is closed."""
STATIC_FILES = {"page.js": "text/javascript", "page.css": "text/css"}
SECURITY_HEADERS = {
    "Cache-Control": "no-store",
    "Content-Security-Policy": (
        "default-src 'none'; script-src 'self'; style-src 'self'; media-src 'self' blob:; connect-src 'self'; "
        "img-src data:; base-uri 'none'; form-action 'self'; frame-ancestors 'none'"
    ),
    "Referrer-Policy": "no-referrer",
    "X-Content-Type-Options": "nosniff",
}
HTML = "text/html; charset=utf-8"


@dataclass(frozen=True, slots=True)
class ListenOptions:
    """Where a listening test is served."""

    folder: Path
    port: int = 8502
    """0 for any free port."""
    host: str = "127.0.0.1"
    public_url: str = ""
    """Address at which listeners reach the server, if it is behind a proxy."""
    places_per_address: int = PLACES_PER_ADDRESS
    """How many people may enrol from one address."""


class ListenServer(ThreadingHTTPServer):
    """Serves one listening test.

    Args:
        options: Which test, and where.
        on_finished: Called in a thread of its own whenever a listener has answered the last trial.
    """

    daemon_threads = True

    def __init__(self, options: ListenOptions, on_finished: Callable[[], None] = lambda: None) -> None:
        self.session = ListeningSession(options.folder, options.places_per_address)
        self.has_proxy = bool(options.public_url)
        self.on_finished = on_finished
        port = find_free_port(options.host, options.port)
        super().__init__((options.host, port), ListenHandler)
        name = "localhost" if options.host in LOCAL_HOSTS else options.host
        self.url = options.public_url.rstrip("/") or f"http://{name}:{port}"

    def listener_urls(self) -> dict[str, str]:
        """Return the link of each listener."""
        return {name: f"{self.url}/l/{token}" for name, token in self.session.links.tokens.items()}

    @property
    def enrolment_url(self) -> str:
        return f"{self.url}/join/{self.session.links.enrolment}"


class ListenHandler(BaseHTTPRequestHandler):
    """Answers the requests of listeners' pages."""

    protocol_version = "HTTP/1.1"
    server_version = "Auricle"
    sys_version = ""
    timeout = IDLE_SECONDS

    @property
    def _server(self) -> ListenServer:
        return cast(ListenServer, self.server)

    def do_GET(self) -> None:
        match self.path.partition("?")[0].strip("/").split("/"):
            case ["static", name] if name in STATIC_FILES:
                self._send(_load_asset(name), STATIC_FILES[name])
            case ["join", token] if self._is_enrolment(token):
                self._send_html("join", title=self._server.session.test.title)
            case ["l", token, *rest] if listener := self._server.session.find_listener(token):
                self._get_listener(listener, rest)
            case _:
                self._refuse(HTTPStatus.NOT_FOUND, "There is nothing here. Open the link that you received.")

    def do_POST(self) -> None:
        body = self._read_body()
        if body is None:
            self.close_connection = True
            self._refuse(HTTPStatus.BAD_REQUEST, "The length of the request is unclear.")
            return
        match self.path.partition("?")[0].strip("/").split("/"):
            case ["join", token] if self._is_enrolment(token):
                self._enrol()
            case ["l", token, "answer"] if listener := self._server.session.find_listener(token):
                self._answer(listener, body)
            case _:
                self._refuse(HTTPStatus.NOT_FOUND, "There is nothing here. Open the link that you received.")

    def log_message(self, format: str, *args: Any) -> None:  # noqa: A002 - as in the base class
        """Write no log: its lines would contain tokens."""

    # --- requests -------------------------------------------------------------------------------------------------

    def _is_enrolment(self, token: str) -> bool:
        return compare_digest(token.encode(), self._server.session.links.enrolment.encode())

    def _get_listener(self, listener: Listener, rest: list[str]) -> None:
        session = self._server.session
        match rest:
            case []:
                self._send_html("page", title=session.test.title)
            case ["state"]:
                self._send_json(session.describe(listener))
            case ["sound", trial, label] if path := session.find_sound(listener, trial, label):
                try:
                    content = read_regular_file(path)
                except OSError as error:
                    sys.stderr.write(f"A sound could not be read: {error}\n")
                    self._refuse(HTTPStatus.INTERNAL_SERVER_ERROR, "The sound could not be read.")
                else:
                    self._send(content, "audio/wav")
            case _:
                self._refuse(HTTPStatus.NOT_FOUND, "There is no such page.")

    def _enrol(self) -> None:
        try:
            # Behind a proxy, the address that the proxy added last is the person's.
            forwarded = ",".join(self.headers.get_all("X-Forwarded-For", [])) if self._server.has_proxy else ""
            token = self._server.session.enrol(forwarded.rpartition(",")[2].strip() or str(self.client_address[0]))
        except NoFreePlace as error:
            self._refuse(HTTPStatus.CONFLICT, str(error))
            return
        self._send(b"", HTML, HTTPStatus.SEE_OTHER, Location=f"../l/{token}")

    def _answer(self, listener: Listener, body: bytes) -> None:
        session = self._server.session
        try:
            session.answer(listener, orjson.loads(body))
        except orjson.JSONDecodeError:
            self._send_json({"error": "The answer is not valid JSON."}, HTTPStatus.BAD_REQUEST)
        except InvalidAnswer as error:
            self._send_json({"error": str(error)}, HTTPStatus.BAD_REQUEST)
        except OSError as error:
            sys.stderr.write(f"An answer of {listener.id} could not be stored: {error}\n")
            message = "The answer could not be stored. Wait a moment and press Next again."
            self._send_json({"error": message}, HTTPStatus.INTERNAL_SERVER_ERROR)
        else:
            self._send_json(session.describe(listener))
            if session.is_finished(listener):
                threading.Thread(target=self._server.on_finished, daemon=True).start()

    def _read_body(self) -> bytes | None:
        """Return the body, or None if it is not clear where it ends: a proxy might see another request there."""
        lengths = self.headers.get_all("Content-Length", ["0"])
        if (
            len(lengths) > 1
            or "Transfer-Encoding" in self.headers
            or not (lengths[0].isascii() and lengths[0].isdigit())
        ):
            return None
        size = int(lengths[0])
        if size > MAX_BODY_BYTES:
            self.close_connection = True
            return b""
        return self.rfile.read(size)

    # --- responses ------------------------------------------------------------------------------------------------

    def _send(self, content: bytes, media_type: str, status: HTTPStatus = HTTPStatus.OK, **headers: str) -> None:
        self.send_response(status)
        sizes = {"Content-Type": media_type, "Content-Length": str(len(content))}
        for name, value in {**sizes, **SECURITY_HEADERS, **headers}.items():
            self.send_header(name, value)
        self.end_headers()
        with suppress(ConnectionError):  # the listener closed the page
            self.wfile.write(content)

    def _send_json(self, document: Any, status: HTTPStatus = HTTPStatus.OK) -> None:
        self._send(json.dumps(document).encode(), "application/json", status)

    def _send_html(self, name: str, title: str) -> None:
        page = _load_asset(f"{name}.html").decode().replace("{title}", escape(title))
        self._send(page.encode(), HTML)

    def _refuse(self, status: HTTPStatus, message: str) -> None:
        page = _load_asset("message.html").decode().replace("{message}", escape(message))
        self._send(page.encode(), HTML, status)


def _load_asset(name: str) -> bytes:
    return files(__package__).joinpath(name).read_bytes()


# --- the command --------------------------------------------------------------------------------------------------


def serve(options: ListenOptions, score: Callable[[Path], Path]) -> None:
    """Serve a listening test until it is interrupted; score it whenever a listener finishes.

    Args:
        options: Which test, and where.
        score: Writes the run of a test, and returns its directory.
    """
    lock = threading.Lock()

    def score_now() -> None:
        with lock:
            try:
                path = score(options.folder)
            except AuricleError as error:
                sys.stderr.write(f"The answers could not be scored: {error}\n")
            else:
                count, total = server.session.count_finished(), len(server.session.test.listeners)
                sys.stdout.write(f"{count} of {total} listeners finished. Results: auricle show {path}\n")
                sys.stdout.flush()

    with ListenServer(options, score_now) as server:
        lines = [f"{name}  {url}" for name, url in server.listener_urls().items()]
        if options.host not in LOCAL_HOSTS and not options.public_url.startswith("https:"):
            sys.stderr.write("Warning: links and answers travel unencrypted. Prefer a TLS proxy and --public-url.\n")
        sys.stdout.write("One link for each listener:\n")
        sys.stdout.write("\n".join(lines))
        sys.stdout.write(f"\nOr one link for all, which assigns the next free place:\n     {server.enrolment_url}\n")
        sys.stdout.write("Press Ctrl-C to stop.\n")
        sys.stdout.flush()
        try:
            server.serve_forever(poll_interval=0.2)
        except KeyboardInterrupt:
            sys.stderr.write("Stopped. All answers are stored; run the same command to continue.\n")
