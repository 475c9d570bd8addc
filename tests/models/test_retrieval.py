"""Embeddings and rerankers."""

from typing import Any

import pytest

from auricle.core.errors import Rejected
from auricle.models.retrieval import Embeddings, Rerank
from tests.support.http_servers import question, run_model


def model_at(kind: Any, server: Any) -> Any:
    return kind(base_url=server.url, model="fake")


def test_answer_of_embeddings_is_their_length(serve: Any) -> None:
    answer = run_model(model_at(Embeddings, serve()), question("one two three"))
    assert (answer.text, answer.input_tokens, answer.tokens) == ("8", 3, 0)


def test_answer_of_a_reranker_is_the_best_document(serve: Any) -> None:
    prompt = "red fish\nblue bird\nred fish swims\nred dog"
    answer = run_model(model_at(Rerank, serve()), question(prompt))
    assert (answer.text, answer.input_tokens) == ("1", 9)


def test_best_document_is_found_by_its_score(canned: Any) -> None:
    results = [{"index": 0, "relevance_score": 0.1}, {"index": 2, "relevance_score": 0.9}]
    server = canned({"results": results})
    assert run_model(model_at(Rerank, server), question("a\nb\nc\nd")).text == "2"
    assert server.last.json() == {"model": "fake", "query": "a", "documents": ["b", "c", "d"]}


def test_query_without_documents_is_rejected(serve: Any) -> None:
    with pytest.raises(Rejected, match="needs a query in its first line"):
        run_model(model_at(Rerank, serve()), question("only a query"))


@pytest.mark.parametrize(
    ("kind", "reply"),
    [(Embeddings, {"data": []}), (Embeddings, {"data": [{"embedding": ["a"]}]}), (Rerank, {"results": []})],
)
def test_other_documents_are_rejected(canned: Any, kind: Any, reply: Any) -> None:
    with pytest.raises(Rejected, match="instead of"):
        run_model(model_at(kind, canned(reply)), question("a\nb"))
