"""Few-shot retrieval by rule, by common words and by encoders."""

from __future__ import annotations

import math
import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any, cast

import numpy as np
import pytest

from auricle.core.errors import SampleError, SpecError
from auricle.core.types import Sample
from auricle.data.prompts.retrievers import Bm25Retriever, logmel, sample_text, tokenise
from auricle.media import Audio
from tests.support.few_shot import make_sample, make_samples, make_selector, noise, select_ids

ENCODER = """
import numpy as np

asked = []

def numbers(samples):
    assert all(sample.target is None for sample in samples)
    asked.append(len(samples))
    return np.array([[float(x) for x in sample.inputs["question"].split()] for sample in samples])

def flat(samples):
    return np.zeros(len(samples))
"""


@pytest.fixture
def encoder(tmp_path: Path) -> Any:
    file = tmp_path / "own_encoder.py"
    file.write_text(ENCODER)
    return f"{file}:numbers"


def test_first_returns_the_first_rows_in_order() -> None:
    assert select_ids("first:3", make_samples(9), make_sample("x")) == ["r0", "r1", "r2"]


def test_zero_returns_nothing_and_reads_no_pool() -> None:
    def unread() -> Iterator[Any]:
        raise AssertionError
        yield

    for none in ("zero", 0, "0", {"use": "bm25", "k": 0}):
        assert select_ids(none, unread(), make_sample("x")) == []
        assert repr(make_selector(none, unread())) == "Shots(zero)"


def test_fixed_returns_the_given_rows_in_order() -> None:
    options = {"use": "fixed", "ids": ["r3", "r1", "r2"]}
    assert select_ids(options, make_samples(5), make_sample("x")) == ["r3", "r1", "r2"]
    assert select_ids({**options, "ids": "r3, r1"}, make_samples(5), make_sample("x")) == ["r3", "r1"]


def test_fixed_skips_the_sample_itself() -> None:
    options = {"use": "fixed", "ids": ["r0", "r1", "r2"], "k": 2}
    assert select_ids(options, make_samples(5), make_samples(5)[0]) == ["r1", "r2"]


def test_fixed_refuses_an_unknown_row() -> None:
    with pytest.raises(SpecError, match=r"no usable row 'r99'. Similar ids: r") as refused:
        make_selector({"use": "fixed", "ids": ["r99"]}, make_samples(12)).validate()
    assert refused.value.location == ("shots", "ids")


def test_plain_number_draws_rows_at_random() -> None:
    pool = make_samples(50)
    assert len(set(select_ids(3, pool, make_sample("x")))) == 3
    assert (
        select_ids(3, pool, make_sample("x"))
        == select_ids("3", pool, make_sample("x"))
        == select_ids("random:3", pool, make_sample("x"))
    )
    assert select_ids(3, pool, make_sample("x")) != select_ids(3, pool, make_sample("y"))
    assert select_ids(3, pool, make_sample("x")) != select_ids({"k": 3, "seed": 1}, pool, make_sample("x"))


@pytest.mark.slow
def test_random_draws_every_row_equally_often() -> None:
    pool = make_samples(10)
    drawn = Counter(item for n in range(2000) for item in select_ids(2, pool, make_sample(str(n))))
    assert len(drawn) == 10
    assert all(300 < count < 500 for count in drawn.values())


def test_sliding_returns_the_preceding_rows_in_order() -> None:
    pool = make_samples(6)
    assert select_ids("sliding:3", pool, pool[4]) == ["r1", "r2", "r3"]
    assert select_ids("sliding:3", pool, pool[1]) == ["r0"]


def test_sliding_needs_the_sample_in_the_pool() -> None:
    with pytest.raises(SampleError, match="needs the sample itself"):
        select_ids("sliding:3", make_samples(6), make_sample("elsewhere"))


def test_balanced_returns_equally_many_rows_per_label() -> None:
    pool = [make_sample(str(n), answer="rare" if n % 10 == 0 else "usual") for n in range(40)]
    for name in "stuvw":
        result = make_selector("balanced:6", pool).examples_for(make_sample(name))
        assert Counter(shot.answer for shot in result) == {"rare": 3, "usual": 3}


def test_balanced_accounts_for_excluded_rows() -> None:
    pool = [make_sample(str(n), answer="ab"[n % 2], speaker=str(n // 4)) for n in range(12)]
    options = {"use": "balanced", "k": 4, "differs_in": "speaker"}
    result = make_selector(options, pool).examples_for(make_sample("x", speaker="0"))
    assert Counter(shot.answer for shot in result) == {"a": 2, "b": 2}


def test_balanced_can_use_a_metadata_field() -> None:
    pool = [make_sample(str(n), accent="north" if n < 30 else "south") for n in range(32)]
    result = select_ids({"use": "balanced", "by": "accent", "k": 4}, pool, make_sample("x"))
    assert {"30", "31"} < set(result)
    with pytest.raises(SpecError, match="'dialect' to balance by"):
        make_selector({"use": "balanced", "by": "dialect", "k": 4}, pool).validate()


def test_balanced_continues_with_other_labels_when_one_is_exhausted() -> None:
    pool = [make_sample("only", answer="rare"), *(make_sample(str(n), answer="usual") for n in range(9))]
    assert len(select_ids("balanced:5", pool, make_sample("x"))) == 5


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


def sounding(name: Any, hertz: Any, seconds: float = 0.5) -> Any:
    time = np.arange(round(seconds * 16_000)) / 16_000
    tone = 0.3 * np.sin(2 * np.pi * hertz * time) + 0.1 * noise(len(time), seed=hertz)
    inputs = {"audio": [Audio.of(tone.astype(np.float32), rate=16_000)]}
    return Sample(id=name, inputs=inputs, target=f"{hertz} Hz")


def test_dense_finds_the_most_similar_recording() -> None:
    pool = [sounding("low", 200), sounding("high", 3000), sounding("middle", 900)]
    options = {"use": "dense", "encoder": "logmel", "k": 1}
    assert select_ids(options, pool, sounding("x", 3100, 0.8)) == ["high"]
    assert select_ids(options, pool, sounding("y", 210)) == ["low"]


def test_pool_is_encoded_once_in_batches(encoder: Any) -> None:
    pool = [make_sample(str(n), f"{n} 1") for n in range(70)]
    chosen = make_selector({"use": "dense", "encoder": encoder, "k": 2}, pool)
    assert len(list(chosen.attach_to([*pool, make_sample("x", "5 5")]))) == 71
    assert sys.modules["auricle_file_own_encoder"].asked == [32, 32, 6, 1]


def test_encoder_without_vectors_is_refused(encoder: Any) -> None:
    flat = encoder.replace(":numbers", ":flat")
    with pytest.raises(SpecError, match=r"array of shape \(3,\)") as refused:
        make_selector({"use": "dense", "encoder": flat, "k": 2}, make_samples(3)).validate()
    assert refused.value.location == ("shots", "encoder")


def test_diverse_returns_near_but_different_rows(encoder: Any) -> None:
    pool = [make_sample("a", "10 1"), make_sample("a again", "10 1.1"), make_sample("b", "1 10")]
    requests = make_sample("x", "10 3")
    nearest = {"use": "dense", "encoder": encoder, "k": 2, "order": "nearest-first"}
    assert select_ids(nearest, pool, requests) == ["a again", "a"]
    diverse = {**nearest, "use": "diverse"}
    assert select_ids(diverse, pool, requests) == ["a again", "b"]
    assert select_ids({**diverse, "weight": 1}, pool, requests) == ["a again", "a"]


def test_diverse_uses_bm25_by_default() -> None:
    pool = [
        make_sample("one", "red apples taste sweet"),
        make_sample("double", "red apples taste sweet !"),
        make_sample("two", "apples in a pie of mine"),
        make_sample("none", "rain"),
    ]
    result = select_ids({"use": "diverse", "k": 2, "weight": 0.4}, pool, make_sample("x", "sweet red apples pie"))
    assert result == ["two", "one"]


def test_diverse_ranks_every_row_once() -> None:
    pool = [make_sample(str(n), f"word{n % 3} word{n % 4}") for n in range(12)]
    result = select_ids("diverse:99", pool, make_sample("x", "word1"))
    assert sorted(result) == sorted(str(n) for n in range(12))


def test_logmel_is_nearly_independent_of_loudness() -> None:
    quiet, loud = (Sample(id="x", inputs={"audio": Audio.of(gain * noise(), rate=16_000)}) for gain in (0.01, 0.5))
    assert logmel([quiet]) == pytest.approx(logmel([loud]), abs=0.01)


def test_logmel_accepts_the_shortest_clip() -> None:
    short = Sample(id="x", inputs={"audio": Audio.of(noise()[:10], rate=16_000)})
    assert np.isfinite(logmel([short])).all()


def test_logmel_refuses_a_pool_without_audio() -> None:
    with pytest.raises(SpecError, match="r0 has no audio"):
        make_selector({"use": "dense", "encoder": "logmel", "k": 1}, make_samples(3)).validate()


def test_encoder_can_be_a_function_in_a_file(encoder: Any) -> None:
    pool = [make_sample("east", "1 0"), make_sample("north", "0 1"), make_sample("west", "-1 0")]
    options = {"use": "dense", "encoder": encoder, "k": 2}
    assert select_ids(options, pool, make_sample("x", "0.2 9")) == ["east", "north"]


@pytest.mark.parametrize(
    ("name", "message"), [("logmle", "Did you mean logmel"), ("text", "needs a model: text:FOLDER")]
)
def test_unknown_encoder_is_refused(name: str, message: str) -> None:
    with pytest.raises(SpecError, match=message) as refused:
        make_selector({"use": "dense", "encoder": name, "k": 2}, make_samples(3))
    assert refused.value.location == ("shots", "encoder")
