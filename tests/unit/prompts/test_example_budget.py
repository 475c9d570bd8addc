"""Size limits of few-shot examples."""

from typing import Any

import numpy as np

from auricle.audio import Audio
from auricle.core.types import Sample
from auricle.prompts import Prompt
from tests.support.few_shot import make_sample, make_samples, make_selector, select_ids


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
