"""Selection of few-shot examples, its options, and how examples are shown and stored."""

from __future__ import annotations

import random
from pathlib import Path
from typing import Any, cast

import pytest

from auricle.core.errors import DataError, SampleError, SpecError
from auricle.core.types import RejectedRow, Sample, Turn
from auricle.data.manifest import ColumnMapping, Manifest
from auricle.data.prompts import Prompt
from auricle.data.prompts.few_shot import pool_path
from auricle.media import Audio
from tests.support.few_shot import make_sample, make_samples, make_selector, select_ids


def test_retriever_does_not_see_the_target(tmp_path: Path) -> None:
    file = tmp_path / "curious.py"
    file.write_text(
        "class Curious:\n"
        "    def rank(self, sample, allowed):\n"
        "        assert sample.target is None\n"
        "        return allowed\n"
    )
    assert select_ids(f"{file}:Curious:2", make_samples(3), make_sample("x")) == ["r1", "r0"]


@pytest.mark.parametrize("use", ["random:3", "balanced:3", "bm25:3", "diverse:3"])
def test_examples_do_not_depend_on_other_samples(use: str) -> None:
    pool = [make_sample(str(n), f"word{n % 7} word{n % 5}", str(n % 3)) for n in range(40)]
    full = {
        item.id: item.meta["shots"] for item in make_selector(use, pool).attach_to(pool) if isinstance(item, Sample)
    }
    some_of_them = random.Random(1).sample(pool, 9)
    again = {
        item.id: item.meta["shots"]
        for item in make_selector(use, pool).attach_to(some_of_them)
        if isinstance(item, Sample)
    }
    assert again == {name: full[name] for name in again}
    assert all(len(cast(list[str], ids)) == 3 for ids in full.values())


def test_nearest_example_is_last_by_default() -> None:
    pool = [make_sample("far", "the cat"), make_sample("near", "the cat sat on the mat")]
    requests = make_sample("x", "where sat the cat on the mat")
    assert select_ids("bm25:2", pool, requests) == ["far", "near"]
    assert select_ids({"use": "bm25", "k": 2, "order": "nearest-first"}, pool, requests) == ["near", "far"]


def test_random_order_is_reproducible_and_differs_by_sample() -> None:
    options = {"use": "first", "k": 8, "order": "random"}
    pool = make_samples(8)
    result = [tuple(select_ids(options, pool, make_sample(name))) for name in "xxyz"]
    assert result[0] == result[1]
    assert len(set(result)) == 3
    assert all(sorted(item) == [f"r{n}" for n in range(8)] for item in result)


def manifest(path: Any, *lines: Any) -> Any:
    path.write_text("".join(f'{{"question": "{q}", "answer": "{a}"}}\n' for q, a in lines))
    return Manifest(path, ColumnMapping(target_columns=("answer",)))


def test_samples_change_only_in_their_example_ids(tmp_path: Path) -> None:
    data = manifest(tmp_path / "data.jsonl", ("p", "1"), ("q", "2"))
    wrapped = make_selector(1, data).attach_to(data)
    assert [item.meta["shots"] for item in wrapped if isinstance(item, Sample)] == [["1"], ["0"]]
    assert [item.meta["shots"] for item in wrapped if isinstance(item, Sample)] == [["1"], ["0"]]
    assert (len(wrapped), wrapped.revision, wrapped.path) == (2, data.revision, data.path)
    wrapped.validate()


def test_samples_without_a_length_have_none_with_examples() -> None:
    with pytest.raises(TypeError):
        len(make_selector(1, make_samples(2)).attach_to(iter(make_samples(2))))


def test_a_rejected_row_stays_rejected() -> None:
    bad = RejectedRow("f:1", "torn")
    assert list(make_selector(1, make_samples(2)).attach_to([bad])) == [bad]


def test_validate_checks_data_and_pool(tmp_path: Path) -> None:
    good, empty = manifest(tmp_path / "a.jsonl", ("p", "1")), manifest(tmp_path / "b.jsonl")
    with pytest.raises(DataError, match=r"b\.jsonl has no rows"):
        make_selector(1, good).attach_to(empty).validate()
    with pytest.raises(DataError, match="pool"):
        make_selector(1, empty).attach_to(good).validate()


def test_examples_are_looked_up_by_the_ids_a_sample_carries() -> None:
    chosen = make_selector("first:2", make_samples(5))
    assert [shot.id for shot in chosen.examples_for(make_sample("x", shots=["r4"]))] == ["r4"]
    with pytest.raises(SampleError, match="'gone' is not in the pool"):
        chosen.examples_for(make_sample("x", shots=["gone"]))


def test_sample_without_comparable_input_fails_when_rendered(tmp_path: Path) -> None:
    lost = Sample(id="x", inputs={"audio": Audio.of(str(tmp_path / "no.wav"))})
    chosen = make_selector(1, make_samples(2))
    assert list(chosen.attach_to([lost])) == [lost]
    with pytest.raises(SampleError, match=r"no\.wav"):
        chosen.examples_for(lost)


def test_prompt_shows_the_audio_of_an_example_in_place() -> None:
    def heard(name: Any, answer: Any) -> Any:
        inputs = {"audio": [Audio.of(name.encode())], "question": f"What is {name}?"}
        return Sample(id=name, inputs=cast(Any, inputs), target=answer)

    pool = [heard("rain", "water"), heard("bark", "a dog")]
    chosen = make_selector("first:2", pool)
    (sample,) = chosen.attach_to([heard("bell", "metal")])
    text = Prompt.of("{audio}\n{question}", shots=chosen).render(cast(Sample, sample))
    rain, bark, bell = (item.inputs["audio"][0] for item in (*pool, sample))
    assert text == (
        Turn("user", (rain, "\nWhat is rain?")),
        Turn("assistant", ("water",)),
        Turn("user", (bark, "\nWhat is bark?")),
        Turn("assistant", ("a dog",)),
        Turn("user", (bell, "\nWhat is bell?")),
    )
    assert text[0].parts[0] is rain


def test_prompt_can_show_examples_as_text_with_audio() -> None:
    sound = Audio.of(b"rain")
    pool = [Sample(id="a", inputs={"audio": [sound], "question": "q"}, target="water")]
    prompt = {"turns": "{examples}{audio}", "examples": "{audio} is {target}", "separator": ". "}
    requests = Sample(id="x", inputs={"audio": [Audio.of(b"bell")], "question": "q"})
    (turn,) = Prompt.of(prompt, shots=make_selector("first:1", pool)).render(requests)
    assert turn.parts == (sound, " is water. ", cast(Any, requests.inputs["audio"])[0])


def test_example_can_show_any_column_of_its_row() -> None:
    pool = [make_sample("a", "2 + 2?", "4", rationale="Two and two.", difficulty=1)]
    prompt = {"turns": "{question}", "examples": [{"user": "{question} ({difficulty})"},
              {"assistant": "{rationale} So: {target}"}]}  # fmt: skip
    answer = Prompt.of(prompt, shots=make_selector("first:1", pool)).render(make_sample("x", "3 + 3?"))
    assert [turn.parts[0] for turn in answer] == ["2 + 2? (1)", "Two and two. So: 4", "3 + 3?"]


def test_signature_changes_with_the_pool(tmp_path: Path) -> None:
    path = tmp_path / "pool.jsonl"
    result = [repr(make_selector(1, manifest(path, ("q", answer)))) for answer in ("1", "2", "1")]
    assert result[0] == result[2] != result[1]
    assert (
        repr(make_selector(1, make_samples(3)))
        == repr(make_selector(1, make_samples(3)))
        != repr(make_selector(1, make_samples(4)))
    )
    assert "pool=pool.jsonl@" in result[0]


def test_retriever_with_invalid_indices_is_refused(tmp_path: Path) -> None:
    file = tmp_path / "ranks_ids.py"
    file.write_text("class ById:\n    def rank(self, sample, allowed):\n        return ['r1']\n")
    with pytest.raises(SpecError, match="expected indices of the pool") as refused:
        select_ids(f"{file}:ById:1", make_samples(3), make_sample("x"))
    assert refused.value.location == ("shots", "use")


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
    pool = [make_sample("long", "a long question"), make_sample("tiny", "?"), make_sample("short", "what?")]
    assert select_ids(f"{file}:Shortest:2", pool, make_sample("x")) == ["short", "tiny"]
    assert select_ids({"use": f"{file}:Shortest", "k": 1, "least": 3}, pool, make_sample("x")) == ["short"]


def test_signature_identifies_code_by_content_not_by_path(tmp_path: Path) -> None:
    result = []
    for folder, body in (("a", "return allowed"), ("b", "return allowed"), ("c", "return ()")):
        (tmp_path / folder).mkdir()
        file = tmp_path / folder / "mine.py"
        file.write_text(
            f"class Mine:\n    def __init__(self, least=0): ...\n    def rank(self, sample, allowed):\n        {body}\n"
        )
        result.append(repr(make_selector({"use": f"{file}:Mine", "k": 1, "least": 3}, make_samples(2))))
    assert result[0] == result[1] != result[2]
    assert result[0].startswith("Shots(mine.py@")
    assert ":Mine(least=3), k=1" in result[0]


def test_signature_contains_all_settings() -> None:
    options = {
        "use": "bm25", "k": 4, "pool": "p.jsonl", "seed": 7, "differs_in": ["speaker"],
        "order": "random", "max_tokens": 2000, "max_seconds": 60, "field": "question",
    }  # fmt: skip
    result = repr(make_selector(options, make_samples(3)))
    assert result.startswith(
        "Shots(bm25(field='question'), k=4, seed=7, without=itself+speaker, order=random, "
        "max_tokens=2000 estimated, max_seconds=60, pool=rows@"
    )


def test_signature_contains_the_tokenizer() -> None:
    result = repr(make_selector({"k": 1, "max_tokens": 9, "tokenizer": "some/model"}, make_samples(3)))
    assert "max_tokens=9 some/model" in result


@pytest.mark.parametrize(
    ("options", "message", "where"),
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
def test_wrong_option_is_refused_by_name(options: Any, message: str, where: Any) -> None:
    with pytest.raises(SpecError) as refused:
        make_selector(options, make_samples(3))
    assert message in str(refused.value)
    assert refused.value.location == where


def test_pool_path_is_read_only_from_a_mapping() -> None:
    assert pool_path({"k": 1, "pool": "train.jsonl"}) == "train.jsonl"
    assert pool_path("bm25:4") == pool_path(3) == pool_path({"k": 1}) == ""
