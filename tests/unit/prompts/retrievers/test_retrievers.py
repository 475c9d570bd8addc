"""Who chooses examples: by name, place, chance, label, shared words, sound and meaning."""

import math
import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from auricle.audio import Audio
from auricle.core.errors import SampleError, SpecError
from auricle.core.types import Sample
from auricle.prompts.few_shot import FewShotSelector
from auricle.prompts.retrievers.bm25 import Bm25Retriever, sample_text, tokenise
from auricle.prompts.retrievers.encoders import logmel


def row(name: Any, question: str = "", answer: str = "", **meta: Any) -> Any:
    inputs = {"question": question or f"question {name}"}
    return Sample(id=name, inputs=inputs, target=answer or f"answer {name}", meta=meta)


def rows(count: Any) -> Any:
    return [row(f"r{number}") for number in range(count)]


def shots(given: Any, pool: Any) -> Any:
    return FewShotSelector.from_options(given, pool, lambda sample: str(sample.target))


def ids(given: Any, pool: Any, sample: Any) -> Any:
    return [shot.id for shot in shots(given, pool).examples_for(sample)]


# --- by name, place and chance ----------------------------------------------------


def test_first_returns_the_first_rows_in_order() -> None:
    assert ids("first:3", rows(9), row("x")) == ["r0", "r1", "r2"]


def test_zero_returns_nothing_and_reads_no_pool() -> None:
    def unread() -> Iterator[Any]:
        raise AssertionError
        yield

    for none in ("zero", 0, "0", {"use": "bm25", "k": 0}):
        assert ids(none, unread(), row("x")) == []
        assert repr(shots(none, unread())) == "Shots(zero)"


def test_fixed_returns_the_given_rows_in_order() -> None:
    options = {"use": "fixed", "ids": ["r3", "r1", "r2"]}
    assert ids(options, rows(5), row("x")) == ["r3", "r1", "r2"]
    assert ids({**options, "ids": "r3, r1"}, rows(5), row("x")) == ["r3", "r1"]


def test_fixed_skips_the_sample_itself() -> None:
    options = {"use": "fixed", "ids": ["r0", "r1", "r2"], "k": 2}
    assert ids(options, rows(5), rows(5)[0]) == ["r1", "r2"]


def test_fixed_refuses_an_unknown_row() -> None:
    with pytest.raises(SpecError, match=r"no usable row 'r99'. Similar ids: r") as refused:
        shots({"use": "fixed", "ids": ["r99"]}, rows(12)).validate()
    assert refused.value.location == ("shots", "ids")


def test_plain_number_draws_rows_at_random() -> None:
    pool = rows(50)
    assert len(set(ids(3, pool, row("x")))) == 3
    assert ids(3, pool, row("x")) == ids("3", pool, row("x")) == ids("random:3", pool, row("x"))
    assert ids(3, pool, row("x")) != ids(3, pool, row("y"))
    assert ids(3, pool, row("x")) != ids({"k": 3, "seed": 1}, pool, row("x"))


def test_random_draws_every_row_equally_often() -> None:
    pool = rows(10)
    drawn = Counter(each for n in range(2000) for each in ids(2, pool, row(str(n))))
    assert len(drawn) == 10
    assert all(300 < count < 500 for count in drawn.values())


def test_sliding_returns_the_preceding_rows_in_order() -> None:
    pool = rows(6)
    assert ids("sliding:3", pool, pool[4]) == ["r1", "r2", "r3"]
    assert ids("sliding:3", pool, pool[1]) == ["r0"]


def test_sliding_needs_the_sample_in_the_pool() -> None:
    with pytest.raises(SampleError, match="needs the sample itself"):
        ids("sliding:3", rows(6), row("elsewhere"))


# --- by label ----------------------------------------------------------------------


def test_balanced_returns_equally_many_rows_per_label() -> None:
    pool = [row(str(n), answer="rare" if n % 10 == 0 else "usual") for n in range(40)]
    for name in "stuvw":
        found = shots("balanced:6", pool).examples_for(row(name))
        assert Counter(shot.answer for shot in found) == {"rare": 3, "usual": 3}


def test_balanced_accounts_for_excluded_rows() -> None:
    pool = [row(str(n), answer="ab"[n % 2], speaker=str(n // 4)) for n in range(12)]
    options = {"use": "balanced", "k": 4, "same": "speaker"}
    found = shots(options, pool).examples_for(row("x", speaker="0"))
    assert Counter(shot.answer for shot in found) == {"a": 2, "b": 2}


def test_balanced_can_use_a_metadata_field() -> None:
    pool = [row(str(n), accent="north" if n < 30 else "south") for n in range(32)]
    found = ids({"use": "balanced", "by": "accent", "k": 4}, pool, row("x"))
    assert {"30", "31"} < set(found)
    with pytest.raises(SpecError, match="'dialect' to balance by"):
        shots({"use": "balanced", "by": "dialect", "k": 4}, pool).validate()


def test_balanced_continues_with_other_labels_when_one_is_exhausted() -> None:
    pool = [row("only", answer="rare"), *(row(str(n), answer="usual") for n in range(9))]
    assert len(ids("balanced:5", pool, row("x"))) == 5


# --- by shared words -----------------------------------------------------------------


def bm25_by_the_book(texts: Any, query: Any, k1: float = 1.5, b: float = 0.75) -> Any:
    """The formula, word by word and text by text."""
    held = [Counter(tokenise(text)) for text in texts]
    mean = sum(each.total() for each in held) / len(held)
    scores = []
    for text in held:
        score = 0.0
        for word in tokenise(query):
            having = sum(word in each for each in held)
            rarity = math.log(1 + (len(held) - having + 0.5) / (having + 0.5))
            length = 1 - b + b * text.total() / mean
            score += rarity * text[word] * (k1 + 1) / (text[word] + k1 * length)
        scores.append(score)
    return scores


def test_bm25_scores_follow_the_formula() -> None:
    texts = ["the cat sat", "the dog sat on the cat", "a bird", "the the the mat", "猫 在 垫子 上"]
    index = Bm25Retriever()
    index.fit([row(str(n), text) for n, text in enumerate(texts)])
    for query in ("the cat", "a the THE mat", "垫上", "nothing known"):
        assert index.score_sample(row("x", query)) == pytest.approx(bm25_by_the_book(texts, query))


def test_bm25_prefers_rare_common_words() -> None:
    pool = [row("a", "what is the sound"), row("b", "which bird sings"), row("c", "the sound of")]
    assert ids("bm25:1", pool, row("x", "Which BIRD?")) == ["b"]


def test_bm25_splits_chinese_into_characters() -> None:
    pool = [row("rain", "这是雨声吗"), row("dog", "这是狗叫吗")]
    assert ids("bm25:1", pool, row("x", "哪里有雨？")) == ["rain"]


def test_bm25_can_use_one_input() -> None:
    def two(name: Any, question: Any, title: Any) -> Any:
        return Sample(id=name, inputs={"question": question, "title": title}, target="t")

    pool = [two("a", "apple pie", "zebra"), two("b", "pear", "apple apple apple")]
    asked = two("x", "apple", "none")
    assert ids({"use": "bm25", "k": 1, "field": "question"}, pool, asked) == ["a"]
    with pytest.raises(SpecError, match=r"input 'body'. Inputs: question, title"):
        shots({"use": "bm25", "k": 1, "field": "body"}, pool).validate()


def test_tokens_ignore_case_width_and_punctuation() -> None:
    assert tokenise("Straße, ＡＢＣ 东京タワー!") == ["strasse", "abc", *"东京タワー"]


def test_sample_text_joins_all_texts_without_audio() -> None:
    inputs = {"audio": [Audio.of(b"x")], "question": "q", "choices": ["one", "two"]}
    assert sample_text(Sample(id="x", inputs=inputs)) == "q\none\ntwo"


# --- by what an encoder makes of them ---------------------------------------------------


def sounding(name: Any, hertz: Any, seconds: float = 0.5) -> Any:
    time = np.arange(round(seconds * 16_000)) / 16_000
    tone = 0.3 * np.sin(2 * np.pi * hertz * time) + 0.1 * noise(len(time), seed=hertz)
    inputs = {"audio": [Audio.of(tone.astype(np.float32), rate=16_000)]}
    return Sample(id=name, inputs=inputs, target=f"{hertz} Hz")


def test_dense_finds_the_most_similar_recording() -> None:
    pool = [sounding("low", 200), sounding("high", 3000), sounding("middle", 900)]
    options = {"use": "dense", "encoder": "logmel", "k": 1}
    assert ids(options, pool, sounding("x", 3100, 0.8)) == ["high"]
    assert ids(options, pool, sounding("y", 210)) == ["low"]


def test_logmel_is_nearly_independent_of_loudness() -> None:
    quiet, loud = (Sample(id="x", inputs={"audio": Audio.of(gain * noise(), rate=16_000)}) for gain in (0.01, 0.5))
    assert logmel([quiet]) == pytest.approx(logmel([loud]), abs=0.01)


def noise(length: int = 8000, seed: int = 0) -> Any:
    return np.random.default_rng(seed).normal(0, 0.1, length).astype(np.float32)


def test_logmel_accepts_the_shortest_clip() -> None:
    short = Sample(id="x", inputs={"audio": Audio.of(noise()[:10], rate=16_000)})
    assert np.isfinite(logmel([short])).all()


def test_logmel_refuses_a_pool_without_audio() -> None:
    with pytest.raises(SpecError, match="r0 has no audio"):
        shots({"use": "dense", "encoder": "logmel", "k": 1}, rows(3)).validate()


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


def test_encoder_can_be_a_function_in_a_file(encoder: Any) -> None:
    pool = [row("east", "1 0"), row("north", "0 1"), row("west", "-1 0")]
    options = {"use": "dense", "encoder": encoder, "k": 2}
    assert ids(options, pool, row("x", "0.2 9")) == ["east", "north"]


def test_pool_is_encoded_once_in_batches(encoder: Any) -> None:
    pool = [row(str(n), f"{n} 1") for n in range(70)]
    chosen = shots({"use": "dense", "encoder": encoder, "k": 2}, pool)
    assert len(list(chosen.attach_to([*pool, row("x", "5 5")]))) == 71
    assert sys.modules["auricle_file_own_encoder"].asked == [32, 32, 6, 1]


def test_encoder_without_vectors_is_refused(encoder: Any) -> None:
    flat = encoder.replace(":numbers", ":flat")
    with pytest.raises(SpecError, match=r"array of shape \(3,\)") as refused:
        shots({"use": "dense", "encoder": flat, "k": 2}, rows(3)).validate()
    assert refused.value.location == ("shots", "encoder")


@pytest.mark.parametrize(("name", "told"), [("logmle", "Did you mean logmel"), ("text", "needs a model: text:FOLDER")])
def test_unknown_encoder_is_refused(name: str, told: str) -> None:
    with pytest.raises(SpecError, match=told) as refused:
        shots({"use": "dense", "encoder": name, "k": 2}, rows(3))
    assert refused.value.location == ("shots", "encoder")


# --- near, but not all alike --------------------------------------------------------------


def test_diverse_returns_near_but_different_rows(encoder: Any) -> None:
    pool = [row("a", "10 1"), row("a again", "10 1.1"), row("b", "1 10")]
    asked = row("x", "10 3")
    nearest = {"use": "dense", "encoder": encoder, "k": 2, "order": "nearest-first"}
    assert ids(nearest, pool, asked) == ["a again", "a"]
    diverse = {**nearest, "use": "diverse"}
    assert ids(diverse, pool, asked) == ["a again", "b"]
    assert ids({**diverse, "weight": 1}, pool, asked) == ["a again", "a"]


def test_diverse_uses_bm25_by_default() -> None:
    pool = [
        row("one", "red apples taste sweet"),
        row("double", "red apples taste sweet !"),
        row("two", "apples in a pie of mine"),
        row("none", "rain"),
    ]
    found = ids({"use": "diverse", "k": 2, "weight": 0.4}, pool, row("x", "sweet red apples pie"))
    assert found == ["two", "one"]


def test_diverse_ranks_every_row_once() -> None:
    pool = [row(str(n), f"word{n % 3} word{n % 4}") for n in range(12)]
    found = ids("diverse:99", pool, row("x", "word1"))
    assert sorted(found) == sorted(str(n) for n in range(12))


# --- one's own -------------------------------------------------------------------------------


def test_custom_retriever_needs_few_lines(tmp_path: Path) -> None:
    file = tmp_path / "shortest.py"
    file.write_text(
        "class Shortest:\n"
        "    def __init__(self, least=0):\n"
        "        self.least = least\n"
        "    def fit(self, pool):\n"
        "        sizes = {at: len(each.inputs['question']) for at, each in enumerate(pool)}\n"
        "        enough = (at for at in sizes if sizes[at] >= self.least)\n"
        "        self.order = sorted(enough, key=sizes.get)\n"
        "    def rank(self, sample, allowed):\n"
        "        return self.order\n"
    )
    pool = [row("long", "a long question"), row("tiny", "?"), row("short", "what?")]
    assert ids(f"{file}:Shortest:2", pool, row("x")) == ["short", "tiny"]
    assert ids({"use": f"{file}:Shortest", "k": 1, "least": 3}, pool, row("x")) == ["short"]


def test_signature_identifies_code_by_content_not_by_path(tmp_path: Path) -> None:
    told = []
    for folder, body in (("a", "return allowed"), ("b", "return allowed"), ("c", "return ()")):
        (tmp_path / folder).mkdir()
        file = tmp_path / folder / "mine.py"
        file.write_text(
            f"class Mine:\n    def __init__(self, least=0): ...\n    def rank(self, sample, allowed):\n        {body}\n"
        )
        told.append(repr(shots({"use": f"{file}:Mine", "k": 1, "least": 3}, rows(2))))
    assert told[0] == told[1] != told[2]
    assert told[0].startswith("Shots(mine.py@")
    assert ":Mine(least=3), k=1" in told[0]
