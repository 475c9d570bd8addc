"""Two reward models beside each other: how far they say the same."""

from pathlib import Path
from typing import Any

import pytest

from auricle import Spec, compare, evaluate
from auricle.report.compare import text


@pytest.fixture
def run(manifest: Any, tone: Any, tmp_path: Path) -> Any:
    """A run of a model that rates by name, upwards or downwards."""
    for name in "abcd":
        tone(f"{name}.wav")
    pairs = [{"a": f"{x}.wav", "b": f"{y}.wav", "preference": "b"} for x, y in ("ab", "cb", "ad")]
    data = manifest(pairs)

    def make(name: Any, sign: Any) -> Any:
        (tmp_path / f"{name}.py").write_text(
            f"def rate(audio) -> dict:\n"
            f"    return {{'musicality': {sign} * float(ord(audio.path.stem)), '{name}': 1.0}}\n"
        )
        spec = Spec(
            task="preference",
            task_args={"data": str(data), "outputs": "musicality"},
            model=f"{tmp_path / name}.py:rate",
        )
        evaluate(spec, tmp_path / f"run-{name}")
        return tmp_path / f"run-{name}"

    return make


def test_a_comparison_shows_how_far_two_reward_models_agree(run: Any) -> None:
    comparison = compare(run("first", 1), run("second", 2))
    (agreement,) = comparison.agreement
    assert agreement.output == "musicality"
    assert agreement.srcc == pytest.approx(1.0)
    assert agreement.sounds == 6
    assert (agreement.alike, agreement.kappa, agreement.pairs) == (1.0, 1.0, 3)
    output = "\n".join(text.format_comparison(comparison))
    assert "they choose the same of two in 100.0 % of 3 pairs (Cohen's kappa 1.00)" in output


def test_models_that_contradict_each_other_have_a_negative_correlation(run: Any) -> None:
    (agreement,) = compare(run("first", 1), run("second", -1)).agreement
    assert agreement.srcc == pytest.approx(-1.0)
    assert agreement.alike == 0.0


def test_what_is_the_same_for_every_model_is_not_compared(run: Any) -> None:
    rows = compare(run("first", 1), run("second", 2)).rows
    assert {row.metric for row in rows} == {"accuracy"}
