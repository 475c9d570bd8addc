"""Retrieval by common words."""

import math
from collections import Counter
from typing import Any, cast

import pytest

from auricle.audio import Audio
from auricle.core.errors import SpecError
from auricle.core.types import Sample
from auricle.prompts.retrievers.bm25 import Bm25Retriever, sample_text, tokenise
from tests.support.few_shot import make_sample, make_selector, select_ids


def bm25_by_the_book(texts: Any, query: Any, k1: float = 1.5, b: float = 0.75) -> Any:
    """Compute BM25 directly from its formula."""
    stored = [Counter(tokenise(text)) for text in texts]
    mean = sum(item.total() for item in stored) / len(stored)
    scores = []
    for text in stored:
        score = 0.0
        for word in tokenise(query):
            having = sum(word in item for item in stored)
            rarity = math.log(1 + (len(stored) - having + 0.5) / (having + 0.5))
            length = 1 - b + b * text.total() / mean
            score += rarity * text[word] * (k1 + 1) / (text[word] + k1 * length)
        scores.append(score)
    return scores


def test_bm25_scores_follow_the_formula() -> None:
    texts = ["the cat sat", "the dog sat on the cat", "a bird", "the the the mat", "猫 在 垫子 上"]
    index = Bm25Retriever()
    index.fit([make_sample(str(n), text) for n, text in enumerate(texts)])
    for query in ("the cat", "a the THE mat", "垫上", "nothing known"):
        assert index.score_sample(make_sample("x", query)) == pytest.approx(bm25_by_the_book(texts, query))


def test_bm25_prefers_rare_common_words() -> None:
    pool = [
        make_sample("a", "what is the sound"),
        make_sample("b", "which bird sings"),
        make_sample("c", "the sound of"),
    ]
    assert select_ids("bm25:1", pool, make_sample("x", "Which BIRD?")) == ["b"]


def test_bm25_splits_chinese_into_characters() -> None:
    pool = [make_sample("rain", "这是雨声吗"), make_sample("dog", "这是狗叫吗")]
    assert select_ids("bm25:1", pool, make_sample("x", "哪里有雨？")) == ["rain"]


def test_bm25_can_use_one_input() -> None:
    def two(name: Any, question: Any, title: Any) -> Any:
        return Sample(id=name, inputs={"question": question, "title": title}, target="t")

    pool = [two("a", "apple pie", "zebra"), two("b", "pear", "apple apple apple")]
    requests = two("x", "apple", "none")
    assert select_ids({"use": "bm25", "k": 1, "field": "question"}, pool, requests) == ["a"]
    with pytest.raises(SpecError, match=r"input 'body'. Inputs: question, title"):
        make_selector({"use": "bm25", "k": 1, "field": "body"}, pool).validate()


def test_tokens_ignore_case_width_and_punctuation() -> None:
    assert tokenise("Straße, ＡＢＣ 东京タワー!") == ["strasse", "abc", *"东京タワー"]


def test_sample_text_joins_all_texts_without_audio() -> None:
    inputs = {"audio": [Audio.of(b"x")], "question": "q", "choices": ["one", "two"]}
    assert sample_text(Sample(id="x", inputs=cast(Any, inputs))) == "q\none\ntwo"
