"""Options of few-shot examples."""

from pathlib import Path
from typing import Any

import pytest

from auricle.core.errors import SpecError
from auricle.prompts.few_shot_options import pool_path
from tests.support.few_shot import make_sample, make_samples, make_selector, select_ids


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
        "use": "bm25", "k": 4, "pool": "p.jsonl", "seed": 7, "same": ["speaker"],
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
