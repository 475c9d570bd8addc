"""Embeddings and reranking behind an OpenAI-compatible server, to measure how fast they are served.

-m embeddings -M base_url=http://host:8000/v1 -M model=BAAI/bge-m3
-m rerank -M base_url=http://host:8000/v1 -M model=BAAI/bge-reranker-v2-m3
"""

from __future__ import annotations

from typing import Any

import orjson

from auricle.core.errors import Rejected
from auricle.core.types import Generate
from auricle.models.http.answers import AnswerReader
from auricle.models.http.base import JSON, HttpModel
from auricle.models.http.fields import InvalidField, as_count, as_list, as_number, as_object, first_object
from auricle.models.http.service import merge_extra
from auricle.models.http.timing import PreparedRequest
from auricle.models.request_input import join_turns


class DocumentReader(AnswerReader):
    """Base of readers of responses that are never streamed."""

    def _read_event(self, event: Any) -> str:
        raise Rejected(f"{self.host} streamed events instead of {self.kind}")

    def _set_input_tokens(self, usage: Any, name: str) -> None:
        """Read the input tokens; nothing is generated."""
        if isinstance(usage, dict):
            self.input_tokens, self.tokens = as_count(usage.get(name)), 0


class EmbeddingReader(DocumentReader):
    """Reads an embedding; the text of the answer is its number of dimensions."""

    kind = "an embedding"

    def _read_document(self, document: Any) -> str:
        vector = as_list(first_object(as_object(document).get("data")).get("embedding"))
        as_number(vector[0] if vector else None)
        self._set_input_tokens(document.get("usage"), "prompt_tokens")
        return self._add_text(str(len(vector)))


class Embeddings(HttpModel):
    """A model behind `/v1/embeddings`. Its answer is the number of dimensions, for load tests."""

    name = "embeddings"
    default_url = "https://api.openai.com/v1"
    default_key_env = "OPENAI_API_KEY"
    reader = EmbeddingReader

    def encode_request(self, request: Generate, *, stream: bool) -> PreparedRequest:
        body = {"model": self.choose_model(request), "input": join_turns(request.turns)}
        return PreparedRequest("/embeddings", orjson.dumps(merge_extra(body, self.service.extra)), JSON)


class RerankReader(DocumentReader):
    """Reads relevance scores; the text of the answer is the number of the best document, from 0."""

    kind = "relevance scores"

    def _read_document(self, document: Any) -> str:
        results = [as_object(result) for result in as_list(as_object(document).get("results"))]
        if not results:
            raise InvalidField("expected a result")
        best = max(results, key=lambda result: as_number(result.get("relevance_score")))
        self._set_input_tokens(document.get("usage"), "total_tokens")
        return self._add_text(str(int(as_number(best.get("index")))))


class Rerank(HttpModel):
    """A reranker behind `/v1/rerank`, as of vLLM, Jina and Cohere.

    The first line of a prompt is the query, and every further line a document. The answer is the number of the best
    document, from 0.
    """

    name = "rerank"
    default_key_env = "OPENAI_API_KEY"
    reader = RerankReader

    def encode_request(self, request: Generate, *, stream: bool) -> PreparedRequest:
        query, *documents = join_turns(request.turns).strip().splitlines()
        if not documents:
            raise Rejected("a prompt for a reranker needs a query in its first line and a document in each further one")
        body = {"model": self.choose_model(request), "query": query, "documents": documents}
        return PreparedRequest("/rerank", orjson.dumps(merge_extra(body, self.service.extra)), JSON)
