"""Examples before a sample: never the sample itself, no more than fit, on record and in place."""

import random
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as some

from auricle.audio import Audio
from auricle.core.errors import DataError, SampleError, SpecError
from auricle.core.types import RejectedRow, Sample, Turn
from auricle.data.manifest import ColumnMapping, Manifest
from auricle.prompts import Prompt
from auricle.prompts.few_shot import FewShotSelector, pool_path


def row(name: Any, question: str = "", answer: str = "", **meta: Any) -> Any:
    inputs = {"question": question or f"question {name}"}
    return Sample(id=name, inputs=inputs, target=answer or f"answer {name}", meta=meta)


def rows(count: Any) -> Any:
    return [row(f"r{number}") for number in range(count)]


def shots(given: Any, pool: Any, answer: Any = lambda sample: str(sample.target), **rest: Any) -> Any:
    return FewShotSelector.from_options(given, pool, answer, **rest)


def ids(given: Any, pool: Any, sample: Any, **rest: Any) -> Any:
    return [shot.id for shot in shots(given, pool, **rest).examples_for(sample)]


# --- what must not be shown ----------------------------------------------------


def test_sample_is_never_its_own_example() -> None:
    pool = rows(4)
    assert ids("first:4", pool, pool[1]) == ["r0", "r2", "r3"]


def test_duplicate_under_another_id_is_excluded() -> None:
    pool = [row("copy", "what is heard?"), row("other", "what else?")]
    asked = row("x", "what is heard?", max_tokens=9)
    assert ids("first:2", pool, asked) == ["other"]


def test_duplicate_audio_in_another_file_is_excluded(tmp_path: Path) -> None:
    for name, byte in (("a.wav", b"1"), ("b.wav", b"1"), ("c.wav", b"2")):
        (tmp_path / name).write_bytes(byte * 99)

    def heard(name: Any, sound: Any) -> Any:
        return Sample(id=name, inputs={"audio": [Audio.of(sound)]}, target=name)

    pool = [heard("b", str(tmp_path / "b.wav")), heard("c", str(tmp_path / "c.wav")), heard("bytes", b"1" * 99)]
    assert ids("first:3", pool, heard("a", str(tmp_path / "a.wav"))) == ["c"]


def test_examples_do_not_share_the_disjoint_fields() -> None:
    pool = [row(f"{speaker}{n}", speaker=speaker) for speaker in "abc" for n in range(2)]
    options = {"use": "first", "k": 9, "same": ["speaker"]}
    assert ids(options, pool, row("x", speaker="b")) == ["a0", "a1", "c0", "c1"]
    assert len(ids(options, pool, row("x"))) == 6  # nobody knows whose it is


def test_input_can_be_a_disjoint_field() -> None:
    pool = [
        Sample(id=name, inputs={"audio": [Audio.of(sound)], "question": name}, target="t")
        for name, sound in (("p", b"one"), ("q", b"two"))
    ]
    asked = Sample(id="x", inputs={"audio": [Audio.of(b"one")], "question": "?"})
    assert ids({"use": "first", "k": 2, "same": "audio"}, pool, asked) == ["q"]


def test_disjoint_field_that_no_row_has_is_refused() -> None:
    with pytest.raises(SpecError, match=r"'speeker'.*Fields: speaker") as refused:
        shots({"k": 1, "same": ["speeker"]}, [row("a", speaker="s")]).validate()
    assert refused.value.location == ("shots", "same")


@given(
    some.lists(some.tuples(some.sampled_from("abcd"), some.sampled_from("pqr")), min_size=1),
    some.sampled_from(["first:9", "random:9", "balanced:9", "bm25:9", "diverse:9"]),
)
def test_no_sample_has_its_own_content_as_example(held: Any, use: Any) -> None:
    pool = [row(str(n), q, f"{q} {a}") for n, (q, a) in enumerate(held)]
    chosen = shots(use, pool)
    for sample in chosen.attach_to(pool):
        for shot in chosen.examples_for(sample):
            assert shot.id != sample.id
            assert shot.inputs != sample.inputs


def test_retriever_does_not_see_the_target(tmp_path: Path) -> None:
    file = tmp_path / "curious.py"
    file.write_text(
        "class Curious:\n"
        "    def rank(self, sample, allowed):\n"
        "        assert sample.target is None\n"
        "        return allowed\n"
    )
    assert ids(f"{file}:Curious:2", rows(3), row("x")) == ["r1", "r0"]


# --- the same ones every time --------------------------------------------------


@pytest.mark.parametrize("use", ["random:3", "balanced:3", "bm25:3", "diverse:3"])
def test_examples_do_not_depend_on_other_samples(use: str) -> None:
    pool = [row(str(n), f"word{n % 7} word{n % 5}", str(n % 3)) for n in range(40)]
    whole = {each.id: each.meta["shots"] for each in shots(use, pool).attach_to(pool)}
    some_of_them = random.Random(1).sample(pool, 9)
    again = {each.id: each.meta["shots"] for each in shots(use, pool).attach_to(some_of_them)}
    assert again == {name: whole[name] for name in again}
    assert all(len(each) == 3 for each in whole.values())


# --- order and budget ----------------------------------------------------------


def test_nearest_example_is_last_by_default() -> None:
    pool = [row("far", "the cat"), row("near", "the cat sat on the mat")]
    asked = row("x", "where sat the cat on the mat")
    assert ids("bm25:2", pool, asked) == ["far", "near"]
    assert ids({"use": "bm25", "k": 2, "order": "nearest-first"}, pool, asked) == ["near", "far"]


def test_random_order_is_reproducible_and_differs_by_sample() -> None:
    options = {"use": "first", "k": 8, "order": "random"}
    pool = rows(8)
    found = [tuple(ids(options, pool, row(name))) for name in "xxyz"]
    assert found[0] == found[1]
    assert len(set(found)) == 3
    assert all(sorted(each) == [f"r{n}" for n in range(8)] for each in found)


def test_token_budget_drops_the_farthest_examples() -> None:
    pool = [row(f"r{n}", "q" * 20, "a" * 20) for n in range(5)]  # ten estimated tokens each
    options = {"use": "first", "k": 4, "max_tokens": 25}
    (sample,) = shots(options, pool).attach_to([row("x")])
    assert sample.meta == {"shots": ["r0", "r1"], "shots_dropped": 2}


def test_no_dropped_count_if_all_examples_fit() -> None:
    (sample,) = shots({"k": 2, "max_tokens": 1000}, rows(4)).attach_to([row("x")])
    assert set(sample.meta) == {"shots"}


def test_estimated_tokens_are_a_quarter_of_the_bytes_rounded_up() -> None:
    pool = [row("r", "ab", "三个字")]  # one token and three
    fits = {"use": "first", "k": 1, "max_tokens": 4}
    assert ids(fits, pool, row("x")) == ["r"]
    assert ids({**fits, "max_tokens": 3}, pool, row("x")) == []


def test_budget_counts_only_rendered_parts() -> None:
    options = {"use": "first", "k": 1, "max_tokens": 1}
    assert ids(options, rows(1), row("x"), render_example=lambda shot: ["ab"]) == ["r0"]


def test_budget_counts_seconds_of_audio() -> None:
    def heard(name: Any, seconds: Any) -> Any:
        sound = Audio.of(np.zeros(int(8000 * seconds), dtype=np.float32), rate=8000)
        return Sample(id=name, inputs={"audio": [sound], "question": name}, target="t")

    pool = [heard("a", 2.0), heard("b", 1.0), heard("c", 0.5)]
    assert ids({"use": "first", "k": 3, "max_seconds": 3}, pool, heard("x", 9)) == ["a", "b"]
    assert ids({"use": "first", "k": 3, "max_seconds": 2.9}, pool, heard("x", 9)) == ["a"]


# --- the pool -------------------------------------------------------------------


def test_empty_pool_is_refused() -> None:
    with pytest.raises(DataError, match="no usable row") as refused:
        shots(3, []).validate()
    assert refused.value.location == ("shots", "pool")


def test_unusable_rows_are_skipped_and_noted(tmp_path: Path) -> None:
    lost = Sample(id="lost", inputs={"audio": Audio.of(str(tmp_path / "no.wav"))}, target="t")
    pool = [RejectedRow("f:1", "torn"), Sample(id="open", inputs={}), lost, row("a"), row("a", "b")]
    wrapped = shots("first:9", pool).attach_to([row("x")])
    assert [each.meta["shots"] for each in wrapped] == [["a"]]
    assert wrapped.notes() == ["4 rows of the example pool cannot be used, for example f:1: torn."]


def test_small_pool_gives_fewer_examples() -> None:
    (sample,) = shots("random:9", rows(2)).attach_to([row("x")])
    assert sorted(sample.meta["shots"]) == ["r0", "r1"]


def test_pool_is_read_once_and_lazily() -> None:
    reads = []

    class Source(list):
        revision = "source@1"

        def __iter__(self) -> Any:
            reads.append(1)
            return super().__iter__()

    chosen = shots(2, Source(rows(5)))
    assert repr(chosen)
    assert not reads
    assert len(list(chosen.attach_to(rows(3)))) == 3
    assert len(list(chosen.attach_to(rows(3)))) == 3
    assert len(reads) == 1


# --- samples that carry their examples ------------------------------------------


def manifest(path: Any, *lines: Any) -> Any:
    path.write_text("".join(f'{{"question": "{q}", "answer": "{a}"}}\n' for q, a in lines))
    return Manifest(path, ColumnMapping(target_columns=("answer",)))


def test_samples_change_only_in_their_example_ids(tmp_path: Path) -> None:
    data = manifest(tmp_path / "data.jsonl", ("p", "1"), ("q", "2"))
    wrapped = shots(1, data).attach_to(data)
    assert [each.meta["shots"] for each in wrapped] == [["1"], ["0"]]
    assert [each.meta["shots"] for each in wrapped] == [["1"], ["0"]]
    assert (len(wrapped), wrapped.revision, wrapped.path) == (2, data.revision, data.path)
    wrapped.validate()


def test_samples_without_a_length_have_none_with_examples() -> None:
    with pytest.raises(TypeError):
        len(shots(1, rows(2)).attach_to(iter(rows(2))))


def test_a_rejected_row_stays_rejected() -> None:
    bad = RejectedRow("f:1", "torn")
    assert list(shots(1, rows(2)).attach_to([bad])) == [bad]


def test_validate_checks_data_and_pool(tmp_path: Path) -> None:
    good, empty = manifest(tmp_path / "a.jsonl", ("p", "1")), manifest(tmp_path / "b.jsonl")
    with pytest.raises(DataError, match=r"b\.jsonl has no rows"):
        shots(1, good).attach_to(empty).validate()
    with pytest.raises(DataError, match="pool"):
        shots(1, empty).attach_to(good).validate()


def test_examples_are_looked_up_by_the_ids_a_sample_carries() -> None:
    chosen = shots("first:2", rows(5))
    assert [shot.id for shot in chosen.examples_for(row("x", shots=["r4"]))] == ["r4"]
    with pytest.raises(SampleError, match="'gone' is not in the pool"):
        chosen.examples_for(row("x", shots=["gone"]))


def test_sample_without_comparable_input_fails_when_rendered(tmp_path: Path) -> None:
    lost = Sample(id="x", inputs={"audio": Audio.of(str(tmp_path / "no.wav"))})
    chosen = shots(1, rows(2))
    assert list(chosen.attach_to([lost])) == [lost]
    with pytest.raises(SampleError, match=r"no\.wav"):
        chosen.examples_for(lost)


def test_prompt_shows_the_audio_of_an_example_in_place() -> None:
    def heard(name: Any, answer: Any) -> Any:
        inputs = {"audio": [Audio.of(name.encode())], "question": f"What is {name}?"}
        return Sample(id=name, inputs=inputs, target=answer)

    pool = [heard("rain", "water"), heard("bark", "a dog")]
    chosen = shots("first:2", pool)
    (sample,) = chosen.attach_to([heard("bell", "metal")])
    said = Prompt.of("{audio}\n{question}", shots=chosen).render(sample)
    rain, bark, bell = (each.inputs["audio"][0] for each in (*pool, sample))
    assert said == (
        Turn("user", (rain, "\nWhat is rain?")),
        Turn("assistant", ("water",)),
        Turn("user", (bark, "\nWhat is bark?")),
        Turn("assistant", ("a dog",)),
        Turn("user", (bell, "\nWhat is bell?")),
    )
    assert said[0].parts[0] is rain


def test_prompt_can_show_examples_as_text_with_audio() -> None:
    sound = Audio.of(b"rain")
    pool = [Sample(id="a", inputs={"audio": [sound], "question": "q"}, target="water")]
    prompt = {"turns": "{examples}{audio}", "examples": "{audio} is {target}", "separator": ". "}
    asked = Sample(id="x", inputs={"audio": [Audio.of(b"bell")], "question": "q"})
    (turn,) = Prompt.of(prompt, shots=shots("first:1", pool)).render(asked)
    assert turn.parts == (sound, " is water. ", asked.inputs["audio"][0])


def test_example_can_show_any_column_of_its_row() -> None:
    pool = [row("a", "2 + 2?", "4", rationale="Two and two.", difficulty=1)]
    prompt = {"turns": "{question}", "examples": [{"user": "{question} ({difficulty})"},
              {"assistant": "{rationale} So: {target}"}]}  # fmt: skip
    said = Prompt.of(prompt, shots=shots("first:1", pool)).render(row("x", "3 + 3?"))
    assert [turn.parts[0] for turn in said] == ["2 + 2? (1)", "Two and two. So: 4", "3 + 3?"]


def test_budget_counts_an_example_as_rendered() -> None:
    pool = [row("a", "q" * 4000, "yes")]
    short = Prompt.of({"turns": "{examples}{question}", "examples": "{target}", "separator": ""})
    options = {"use": "first", "k": 1, "max_tokens": 1}
    assert ids(options, pool, row("x"), render_example=short.example_parts) == ["a"]
    assert ids(options, pool, row("x"), render_example=Prompt.of("{question}").example_parts) == []


# --- signature -------------------------------------------------------------------


def test_signature_contains_all_settings() -> None:
    options = {
        "use": "bm25", "k": 4, "pool": "p.jsonl", "seed": 7, "same": ["speaker"],
        "order": "random", "max_tokens": 2000, "max_seconds": 60, "field": "question",
    }  # fmt: skip
    told = repr(shots(options, rows(3)))
    assert told.startswith(
        "Shots(bm25(field='question'), k=4, seed=7, without=itself+speaker, order=random, "
        "max_tokens=2000 estimated, max_seconds=60, pool=rows@"
    )


def test_signature_contains_the_tokenizer() -> None:
    told = repr(shots({"k": 1, "max_tokens": 9, "tokenizer": "some/model"}, rows(3)))
    assert "max_tokens=9 some/model" in told


def test_signature_changes_with_the_pool(tmp_path: Path) -> None:
    path = tmp_path / "pool.jsonl"
    told = [repr(shots(1, manifest(path, ("q", answer)))) for answer in ("1", "2", "1")]
    assert told[0] == told[2] != told[1]
    assert repr(shots(1, rows(3))) == repr(shots(1, rows(3))) != repr(shots(1, rows(4)))
    assert "pool=pool.jsonl@" in told[0]


# --- options ----------------------------------------------------------------------


@pytest.mark.parametrize(
    ("options", "told", "where"),
    [
        ({"use": "bm52", "k": 1}, "Did you mean bm25", ("shots", "use")),
        ({"use": "bm25", "k": 1, "feild": "q"}, "did you mean field?", ("shots", "feild")),
        ({"use": "first", "k": 1, "field": "q"}, "no option 'field'", ("shots", "field")),
        ({"use": "bm25"}, "set k, or write bm25:4", ("shots", "k")),
        ({"use": "fixed", "k": 1}, "lacks ids", ("shots", "ids")),
        ({"use": "dense", "k": 1}, "lacks encoder", ("shots", "encoder")),
        ({"k": -1}, "whole number of at least 0", ("shots", "k")),
        ({"k": True}, "whole number of at least 0", ("shots", "k")),
        ({"k": 1, "order": "near"}, "nearest-last, nearest-first, random", ("shots", "order")),
        ({"k": 1, "max_tokens": 0}, "whole number of at least 1", ("shots", "max_tokens")),
        ({"k": 1, "max_seconds": "long"}, "above 0", ("shots", "max_seconds")),
        ({"use": "diverse", "k": 1, "weight": 2}, "between 0 and 1", ("shots", "weight")),
        ({"use": "pathlib:Path", "k": 1}, "not a class with a method `rank`", ("shots", "use")),
        ([3], "must be a number", ("shots",)),
        ("", "must be a number", ("shots",)),
    ],
)
def test_wrong_option_is_refused_by_name(options: Any, told: str, where: Any) -> None:
    with pytest.raises(SpecError) as refused:
        shots(options, rows(3))
    assert told in str(refused.value)
    assert refused.value.location == where


def test_pool_path_is_read_only_from_a_mapping() -> None:
    assert pool_path({"k": 1, "pool": "train.jsonl"}) == "train.jsonl"
    assert pool_path("bm25:4") == pool_path(3) == pool_path({"k": 1}) == ""


def test_retriever_with_invalid_indices_is_refused(tmp_path: Path) -> None:
    file = tmp_path / "ranks_ids.py"
    file.write_text("class ById:\n    def rank(self, sample, allowed):\n        return ['r1']\n")
    with pytest.raises(SpecError, match="expected indices of the pool") as refused:
        ids(f"{file}:ById:1", rows(3), row("x"))
    assert refused.value.location == ("shots", "use")
