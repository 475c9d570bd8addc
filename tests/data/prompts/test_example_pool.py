"""The pool of few-shot examples, and how many of them fit."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any, cast

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as some

from auricle.core.errors import DataError, SpecError
from auricle.core.types import RejectedRow, Sample
from auricle.data.prompts import Prompt
from auricle.media import Audio
from tests.support.few_shot import make_sample, make_samples, make_selector, select_ids


def test_sample_is_never_its_own_example() -> None:
    pool = make_samples(4)
    assert select_ids("first:4", pool, pool[1]) == ["r0", "r2", "r3"]


def test_a_row_with_the_same_number_in_another_file_is_not_the_sample() -> None:
    pool = [replace(make_sample(str(number), f"question {number}"), origin=f"train.jsonl:{number}") for number in "12"]
    sample = replace(make_sample("1", "another"), origin="test.jsonl:1")
    assert select_ids("first:2", pool, sample) == ["1", "2"]
    assert select_ids("first:2", pool, replace(sample, origin="train.jsonl:1")) == ["2"]


def test_duplicate_under_another_id_is_excluded() -> None:
    pool = [make_sample("copy", "what is heard?"), make_sample("other", "what else?")]
    requests = make_sample("x", "what is heard?", max_tokens=9)
    assert select_ids("first:2", pool, requests) == ["other"]


def test_duplicate_audio_in_another_file_is_excluded(tmp_path: Path) -> None:
    for name, byte in (("a.wav", b"1"), ("b.wav", b"1"), ("c.wav", b"2")):
        (tmp_path / name).write_bytes(byte * 99)

    def heard(name: Any, sound: Any) -> Any:
        return Sample(id=name, inputs={"audio": [Audio.of(sound)]}, target=name)

    pool = [heard("b", str(tmp_path / "b.wav")), heard("c", str(tmp_path / "c.wav")), heard("bytes", b"1" * 99)]
    assert select_ids("first:3", pool, heard("a", str(tmp_path / "a.wav"))) == ["c"]


def test_examples_differ_in_the_named_fields() -> None:
    pool = [make_sample(f"{speaker}{n}", speaker=speaker) for speaker in "abc" for n in range(2)]
    options = {"use": "first", "k": 9, "differs_in": ["speaker"]}
    assert select_ids(options, pool, make_sample("x", speaker="b")) == ["a0", "a1", "c0", "c1"]
    assert len(select_ids(options, pool, make_sample("x"))) == 6  # a missing field excludes nothing


def test_examples_can_differ_in_an_input() -> None:
    pool = [
        Sample(id=name, inputs={"audio": [Audio.of(sound)], "question": name}, target="t")
        for name, sound in (("p", b"one"), ("q", b"two"))
    ]
    requests = Sample(id="x", inputs={"audio": [Audio.of(b"one")], "question": "?"})
    assert select_ids({"use": "first", "k": 2, "differs_in": "audio"}, pool, requests) == ["q"]


def test_examples_match_the_named_fields() -> None:
    pool = [make_sample(f"{lang}{n}", language=lang, speaker=n) for lang in ("de", "en") for n in range(2)]
    options = {"use": "first", "k": 9, "matches": "language", "differs_in": "speaker"}
    assert select_ids(options, pool, make_sample("x", language="en", speaker=1)) == ["en0"]
    assert len(select_ids(options, pool, make_sample("x"))) == 4  # a missing field excludes nothing
    assert select_ids(options, pool, make_sample("x", language="fr")) == []


@pytest.mark.parametrize("option", ["differs_in", "matches"])
def test_field_that_no_row_has_is_refused(option: str) -> None:
    with pytest.raises(SpecError, match=r"'speeker'.*Fields: speaker") as refused:
        make_selector({"k": 1, option: ["speeker"]}, [make_sample("a", speaker="s")]).validate()
    assert refused.value.location == ("shots", option)


@pytest.mark.slow
@given(
    some.lists(some.tuples(some.sampled_from("abcd"), some.sampled_from("pqr")), min_size=1),
    some.sampled_from(["first:9", "random:9", "balanced:9", "bm25:9", "diverse:9"]),
)
def test_no_sample_has_its_own_content_as_example(groups: Any, use: Any) -> None:
    pool = [make_sample(str(n), q, f"{q} {a}") for n, (q, a) in enumerate(groups)]
    chosen = make_selector(use, pool)
    for sample in chosen.attach_to(pool):
        assert isinstance(sample, Sample)
        for shot in chosen.examples_for(sample):
            assert shot.id != sample.id
            assert shot.inputs != sample.inputs


def test_empty_pool_is_refused() -> None:
    with pytest.raises(DataError, match="no usable row") as refused:
        make_selector(3, []).validate()
    assert refused.value.location == ("shots", "pool")


def test_unusable_rows_are_skipped_and_noted(tmp_path: Path) -> None:
    lost = Sample(id="lost", inputs={"audio": Audio.of(str(tmp_path / "no.wav"))}, target="t")
    pool = [RejectedRow("f:1", "torn"), Sample(id="open", inputs={}), lost, make_sample("a"), make_sample("a", "b")]
    wrapped = make_selector("first:9", cast(Any, pool)).attach_to([make_sample("x")])
    assert [item.meta["shots"] for item in wrapped if isinstance(item, Sample)] == [["a"]]
    assert wrapped.notes() == ["4 rows of the example pool cannot be used, for example f:1: torn."]


def test_small_pool_gives_fewer_examples() -> None:
    (sample,) = make_selector("random:9", make_samples(2)).attach_to([make_sample("x")])
    assert isinstance(sample, Sample)
    assert sorted(cast(list[str], sample.meta["shots"])) == ["r0", "r1"]


def test_pool_is_read_once_and_lazily() -> None:
    reads = []

    class Source(list[Sample]):
        revision = "source@1"

        def __iter__(self) -> Any:
            reads.append(1)
            return super().__iter__()

    chosen = make_selector(2, Source(make_samples(5)))
    assert repr(chosen)
    assert not reads
    assert len(list(chosen.attach_to(make_samples(3)))) == 3
    assert len(list(chosen.attach_to(make_samples(3)))) == 3
    assert len(reads) == 1


def test_token_budget_drops_the_farthest_examples() -> None:
    pool = [make_sample(f"r{n}", "q" * 20, "a" * 20) for n in range(5)]  # ten estimated tokens each
    options = {"use": "first", "k": 4, "max_tokens": 25}
    (sample,) = make_selector(options, pool).attach_to([make_sample("x")])
    assert isinstance(sample, Sample)
    assert sample.meta == {"shots": ["r0", "r1"], "shots_dropped": 2}


def test_no_dropped_count_if_all_examples_fit() -> None:
    (sample,) = make_selector({"k": 2, "max_tokens": 1000}, make_samples(4)).attach_to([make_sample("x")])
    assert isinstance(sample, Sample)
    assert set(sample.meta) == {"shots"}


def test_estimated_tokens_are_a_quarter_of_the_bytes_rounded_up() -> None:
    pool = [make_sample("r", "ab", "三个字")]  # one token and three
    fits = {"use": "first", "k": 1, "max_tokens": 4}
    assert select_ids(fits, pool, make_sample("x")) == ["r"]
    assert select_ids({**fits, "max_tokens": 3}, pool, make_sample("x")) == []


def test_budget_counts_only_rendered_parts() -> None:
    options = {"use": "first", "k": 1, "max_tokens": 1}
    assert select_ids(options, make_samples(1), make_sample("x"), render_example=lambda shot: ["ab"]) == ["r0"]


def test_budget_counts_seconds_of_audio() -> None:
    def heard(name: Any, seconds: Any) -> Any:
        sound = Audio.of(np.zeros(int(8000 * seconds), dtype=np.float32), rate=8000)
        return Sample(id=name, inputs={"audio": [sound], "question": name}, target="t")

    pool = [heard("a", 2.0), heard("b", 1.0), heard("c", 0.5)]
    assert select_ids({"use": "first", "k": 3, "max_seconds": 3}, pool, heard("x", 9)) == ["a", "b"]
    assert select_ids({"use": "first", "k": 3, "max_seconds": 2.9}, pool, heard("x", 9)) == ["a"]


def test_budget_counts_an_example_as_rendered() -> None:
    pool = [make_sample("a", "q" * 4000, "yes")]
    short = Prompt.of({"turns": "{examples}{question}", "examples": "{target}", "separator": ""})
    options = {"use": "first", "k": 1, "max_tokens": 1}
    assert select_ids(options, pool, make_sample("x"), render_example=short.example_parts) == ["a"]
    assert select_ids(options, pool, make_sample("x"), render_example=Prompt.of("{question}").example_parts) == []
