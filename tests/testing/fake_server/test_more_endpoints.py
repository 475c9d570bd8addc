"""Responses, speech, embeddings and reranking, as requests without a client of this package."""

import json
from collections.abc import Iterator
from contextlib import closing
from http.client import HTTPConnection
from typing import Any
from urllib.parse import urlsplit

import pytest

from auricle.testing.fake_server import FakeServer, Script


@pytest.fixture
def server() -> Iterator[FakeServer]:
    with FakeServer(Script(role_first=True, keep_alive=0.01)) as running:
        yield running


def post(server: FakeServer, path: str, **fields: Any) -> tuple[int, str, bytes]:
    with closing(HTTPConnection(urlsplit(server.url).netloc)) as connection:
        connection.request("POST", path, json.dumps({"model": "m", **fields}))
        response = connection.getresponse()
        return response.status, response.headers.get_content_type(), response.read()


def test_speech_has_no_bytes_but_audio(server: FakeServer) -> None:
    status, kind, content = post(server, "/v1/audio/speech", input="one two", response_format="pcm")
    assert (status, kind, len(content)) == (200, "audio/pcm", 4800)


def test_response_of_a_plain_text(server: FakeServer) -> None:
    _, _, content = post(server, "/v1/responses", input="one two")
    document = json.loads(content)
    assert document["output"][0]["content"][0]["text"] == "one two"
    assert document["usage"] == {"input_tokens": 2, "output_tokens": 2, "total_tokens": 4}


def test_equal_texts_have_equal_embeddings(server: FakeServer) -> None:
    first, second, other = (post(server, "/v1/embeddings", input=text)[2] for text in ("a", "a", "b"))
    assert first == second != other


def test_rerank_scores_shared_words(server: FakeServer) -> None:
    results = json.loads(post(server, "/rerank", query="a b", documents=["c", "b a"])[2])["results"]
    assert [(result["index"], result["relevance_score"]) for result in results] == [(1, 1.0), (0, 0.0)]


@pytest.mark.parametrize(
    ("path", "fields"),
    [
        ("/v1/responses", {"input": []}),
        ("/v1/audio/speech", {"input": ""}),
        ("/v1/audio/speech", {"input": "a", "response_format": "mp3"}),
        ("/v1/embeddings", {"input": 3}),
        ("/v1/rerank", {"query": "a", "documents": []}),
    ],
)
def test_malformed_requests_are_refused(server: FakeServer, path: str, fields: dict[str, Any]) -> None:
    assert post(server, path, **fields)[0] == 400
