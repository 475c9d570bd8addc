"""`wer` with the profile of a tool equals the rate that the tool itself computed for the same pairs."""

import json
from collections.abc import Iterator
from typing import Any

import pytest

from auricle import Generation, Sample
from auricle.metrics.error_rates import LENGTH, wer
from auricle.text import PROFILES, get_profile
from tests.support import paths

GOLDEN = json.loads((paths.GOLDEN / "text-profiles.json").read_text(encoding="utf-8"))
TOOLS = sorted(GOLDEN["tools"])


def scored_pairs(name: str) -> Iterator[tuple[dict[str, Any], float, float, Any]]:
    """Yield each pair of a profile's language with our errors and length, and the tool's rate."""
    assert wer.with_profile
    metric = wer.with_profile(name)
    for row in GOLDEN[get_profile(name).languages[0]]:
        sample = Sample(id="pair", inputs={}, target=row["reference"])
        stat: Any = metric.score(sample, Generation(text=row["hypothesis"]))
        *edits, length = stat[: LENGTH + 1]
        yield row, sum(edits), length, row[name]


def test_every_profile_of_a_tool_has_golden_rates() -> None:
    profiles = {name for name in PROFILES if name.startswith(("kimi", "lmms", "open", "ultra"))}
    assert profiles == set(TOOLS)


@pytest.mark.parametrize("name", TOOLS)
def test_the_corpus_rate_equals_the_tool(name: str) -> None:
    counts = [(errors, length) for _, errors, length, rate in scored_pairs(name) if rate != "dropped"]
    errors, length = (sum(column) for column in zip(*counts, strict=True))
    assert errors / length == pytest.approx(GOLDEN["tools"][name]["corpus"], abs=1e-12)


@pytest.mark.parametrize("name", TOOLS)
def test_the_rate_of_every_pair_equals_the_tool(name: str) -> None:
    for row, errors, length, rate in scored_pairs(name):
        if length and rate != "dropped":
            assert errors / length == pytest.approx(rate, abs=1e-12), row


@pytest.mark.parametrize("name", TOOLS)
def test_a_tool_fails_only_on_empty_references(name: str) -> None:
    failures = {"IndexError", "ZeroDivisionError"}
    assert [row for row, _, length, rate in scored_pairs(name) if rate in failures and length] == []


def test_a_reply_that_kimi_drops_is_counted() -> None:
    dropped = [(errors, length) for _, errors, length, rate in scored_pairs("kimi-en") if rate == "dropped"]
    assert dropped == [(3.0, 3.0)]
