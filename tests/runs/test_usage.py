"""Token counts, audio duration and cost, which may be unknown."""

import json
from collections.abc import Callable
from dataclasses import asdict
from pathlib import Path
from typing import Any

import pytest

from auricle import Audio, Generation, Sample, SpecError
from auricle.core.serialization import decode_record, encode_record
from auricle.core.types import Failure, Input, Output, Record
from auricle.report.usage_text import format_usage_line, usage_facts
from auricle.runs.metrics import Metrics, ModelFacts, TaskFacts, Usage, format_money
from auricle.runs.run_directory import Run
from auricle.runs.run_spec import RunSpec
from auricle.runs.usage import Price, Prices, RunPrices, UsageTotals, sample_audio_seconds
from tests.support.calls import make_recording

TOKENS = Price("m", input=2.0, output=10.0)


def record(*outputs: Output, with_audio: bool = False, **fields: Any) -> Record:
    inputs: dict[str, Input] = {"audio": Audio("x.wav")} if with_audio else {"question": "x"}
    return Record(sample=Sample(id="0", inputs=inputs), row=0, key="k0", outputs=outputs, **fields)


def generation(input_tokens: int = 1_000_000, tokens: int = 100_000) -> Generation:
    return Generation(text="x", input_tokens=input_tokens, tokens=tokens)


def count(price: Price | None, *records: Record) -> dict[str, Any]:
    totals = UsageTotals(price)
    for added in records:
        totals.add(added)
    return asdict(totals.to_usage())


def with_usage(used: dict[str, Any]) -> Metrics:
    return Metrics(task=TaskFacts("t"), model=ModelFacts("m"), usage=Usage(**used))


# --- prices --------------------------------------------------------------------------


def test_exact_name_precedes_the_first_matching_pattern() -> None:
    prices = Prices.parse({"gpt-*": {"input": 1}, "*": {"input": 2}, "gpt-4o": {"input": 3}}, "p.yaml")
    assert [prices.find(name).input for name in ("gpt-4o", "gpt-5", "x")] == [3, 1, 2]


def test_currency_applies_to_the_file_or_to_one_model() -> None:
    content = {"currency": "EUR", "a": {"input": 1}, "b": {"input": 1, "currency": "CNY"}}
    prices = Prices.parse(content, "p.yaml")
    assert (prices.find("a").currency, prices.find("b").currency) == ("EUR", "CNY")
    assert Prices.parse({"a": {"input": 1}}, "p.yaml").find("a").currency == "USD"


@pytest.mark.parametrize(
    ("entry", "message"),
    [
        ({"inptu": 1}, "p.yaml: a: unknown field inptu. Expected: input, output"),
        ({"input": "much"}, "p.yaml: a: input should be a number, not 'much'"),
        ({"input": -1}, "p.yaml: a: input should be a number, not -1"),
        (3, "p.yaml: a should have some of the fields input"),
        ({}, "p.yaml: a should have some of the fields input"),
        ({"output": True}, "p.yaml: a: output should be a number, not True"),
        ({"request": float("nan")}, "p.yaml: a: request should be a number, not nan"),
    ],
)
def test_invalid_price_is_rejected_by_name(entry: object, message: str) -> None:
    with pytest.raises(SpecError, match=message):
        Prices.parse({"a": entry}, "p.yaml")


def test_missing_price_lists_the_available_ones() -> None:
    with pytest.raises(SpecError, match=r"p\.yaml has no price for b; it has: a\.") as error:
        Prices.parse({"a": {"input": 1}}, "p.yaml").find("b")
    assert "b: {input: 2.5, output: 10}" in str(error.value)


# --- sums ----------------------------------------------------------------------------


def test_tokens_and_their_cost_are_summed() -> None:
    used = count(TOKENS, record(generation()), record(generation(), generation()))
    assert (used["requests"], used["input_tokens"], used["output_tokens"]) == (3, 3_000_000, 300_000)
    assert (used["cost"], used["currency"]) == (9.0, "USD")
    assert (used["samples_without_usage"], used["samples_without_cost"]) == (0, 0)


def test_audio_minutes_and_requests_are_priced() -> None:
    price = Price("m", audio_minute=0.6, request=0.01)
    used = count(price, record(Generation(text="x"), with_audio=True, audio_seconds=30.0))
    assert (used["cost"], used["audio_seconds"]) == (0.31, 30.0)
    assert (used["samples_without_usage"], used["samples_without_cost"]) == (1, 0)


def test_unknown_usage_is_not_zero() -> None:
    used = count(TOKENS, record(Generation(text="x")))
    assert used["cost"] is used["input_tokens"] is used["output_tokens"] is None
    assert format_usage_line(with_usage(used)) == "Usage: the cost of 1 sample unknown"
    assert (used["samples_without_usage"], used["samples_without_cost"]) == (1, 1)


def test_partly_known_usage_is_a_lower_bound() -> None:
    used = count(TOKENS, record(generation()), record(Generation(text="x", tokens=100_000)))
    assert (used["cost"], used["samples_without_cost"]) == (4.0, 1)
    line = format_usage_line(with_usage(used))
    assert line.endswith("at least 4.00 USD, the cost of 1 sample unknown")
    assert dict(usage_facts(with_usage(used)))["Cost"] == "≥ 4.00 USD"


def test_the_tokens_of_live_calls_are_counted_and_priced_per_minute() -> None:
    usage = {"input_tokens": 600_000.0, "output_tokens": 30_000.0, "input_audio_tokens": 500_000.0}
    call = make_recording(seconds=45.0, usage=usage)
    used = count(TOKENS, record(call), record(Generation(text="x", call=call), audio_seconds=3.0))
    assert (used["input_tokens"], used["output_tokens"], used["call_seconds"]) == (1_200_000, 60_000, 90.0)
    assert (used["cost"], used["samples_without_usage"], used["samples_without_cost"]) == (3.0, 0, 0)
    assert format_usage_line(with_usage(used)).endswith("3.00 USD, 2.00 USD per minute of call")
    assert dict(usage_facts(with_usage(used)))["Cost per minute of call"] == "2.00 USD"


def test_the_audio_of_a_live_call_is_as_long_as_the_call() -> None:
    used = count(Price("m", audio_minute=0.6), record(make_recording(seconds=30.0), with_audio=True, audio_seconds=2.0))
    assert (used["cost"], used["audio_seconds"], used["call_seconds"]) == (0.3, 2.0, 30.0)


def test_calls_with_unknown_tokens_make_the_cost_of_a_minute_a_lower_bound() -> None:
    known = make_recording(seconds=30.0, usage={"input_tokens": 500_000, "output_tokens": 0})
    used = count(TOKENS, record(known), record(make_recording(seconds=30.0, usage={})))
    assert "at least 1.00 USD per minute of call" in format_usage_line(with_usage(used))


def test_a_minute_of_a_call_has_no_cost_without_prices() -> None:
    used = count(None, record(make_recording()))
    assert used["call_seconds"] == 3.0
    assert "minute" not in format_usage_line(with_usage(used))
    assert "Cost per minute of call" not in dict(usage_facts(with_usage(used)))


def test_free_models_have_a_price_of_zero() -> None:
    used = count(Prices.parse({"a": {"input": 0}}, "p.yaml").find("a"), record(generation()))
    assert (used["cost"], used["samples_without_cost"]) == (0.0, 0)


def test_counts_that_have_no_price_need_not_be_known() -> None:
    only_input, only_output = Generation(text="x", input_tokens=500_000), Generation(text="x", tokens=500_000)
    assert count(Price("m", input=2.0), record(only_input))["samples_without_cost"] == 0
    assert count(Price("m", output=4.0), record(only_output))["cost"] == 2.0
    assert count(Price("m", output=4.0), record(only_output))["samples_without_cost"] == 0
    assert count(Price("m", output=4.0), record(only_input))["samples_without_cost"] == 1


@pytest.mark.parametrize("price", [None, TOKENS])
def test_a_sample_with_an_unknown_part_counts_its_known_part(price: Price | None) -> None:
    used = count(price, record(generation(), Generation(text="x")), record(generation()))
    assert (used["input_tokens"], used["output_tokens"]) == (2_000_000, 200_000)
    assert used["samples_without_usage"] == 1


def test_counts_of_one_kind_leave_the_other_unknown() -> None:
    used = count(None, record(Generation(text="x", tokens=5)), record(Generation(text="x", tokens=6)))
    assert (used["input_tokens"], used["output_tokens"], used["samples_without_usage"]) == (None, 11, 2)


def test_audio_seconds_are_summed_and_rounded() -> None:
    heard = [record(generation(), with_audio=True, audio_seconds=seconds) for seconds in (30.0, 15.50049)]
    assert count(None, *heard)["audio_seconds"] == 45.5
    assert count(Price("m", audio_minute=60.0), *heard)["cost"] == 45.50049


def test_cost_is_rounded_to_a_millionth_and_audio_to_a_tenth_of_a_millisecond(tone: Callable[..., Path]) -> None:
    assert count(Price("m", request=0.123_456_78), record(generation()))["cost"] == 0.123_457
    clip = Audio(str(tone("a.wav", seconds=0.5)), end=0.123_456)
    assert sample_audio_seconds(Sample(id="1", inputs={"audio": clip})) == 0.1234  # of 0.1234375 s


def test_only_requests_that_were_sent_are_priced() -> None:
    used = count(Price("m", request=0.5), record(generation(), generation(), generation(), cached=1, attempts=2))
    assert (used["requests"], used["cached"], used["attempts"], used["cost"]) == (3, 1, 2, 1.0)


def test_the_price_of_a_run_is_stored(tmp_path: Path) -> None:
    assert RunPrices.load(tmp_path) == RunPrices()
    with Run.open(tmp_path / "run", RunSpec(identity={}, spec={})) as run:
        RunPrices(TOKENS).save(run)
        RunPrices(judges={"j": Price("j", request=1.0)}).save(run)
    assert RunPrices.load(tmp_path / "run") == RunPrices(TOKENS, {"j": Price("j", request=1.0)})


def test_audio_of_unknown_duration_has_unknown_cost() -> None:
    price = Price("m", audio_minute=0.6)
    used = count(price, record(generation(), with_audio=True))
    assert (used["cost"], used["samples_without_cost"]) == (None, 1)


def test_sample_without_audio_costs_no_audio_minutes() -> None:
    used = count(Price("m", audio_minute=0.6), record(generation()))
    assert (used["cost"], used["samples_without_cost"]) == (0.0, 0)


def test_cached_answers_cost_nothing() -> None:
    used = count(TOKENS, record(generation(), cached=1), record(generation()))
    assert (used["requests"], used["cached"], used["cost"]) == (2, 1, 3.0)
    assert used["input_tokens"] == 1_000_000


def test_a_price_has_no_hidden_rates() -> None:
    assert Price("m") == Price("m", input=0.0, output=0.0, audio_minute=0.0, request=0.0, currency="USD")


def test_records_without_a_usable_answer_count_as_attempts_only() -> None:
    failed = record(generation(), error=Failure("Rejected", "no"), attempts=3)
    used = count(TOKENS, failed, record(attempts=2))
    assert (used["requests"], used["attempts"], used["cost"], used["input_tokens"]) == (0, 5, 0.0, None)
    assert (used["samples_without_usage"], used["samples_without_cost"]) == (0, 0)


def test_failures_count_as_attempts_only() -> None:
    used = count(TOKENS, record(error=Failure("Transient", "429"), attempts=4))
    assert (used["requests"], used["attempts"], used["cost"]) == (0, 4, 0.0)


def test_without_prices_there_is_usage_and_no_cost() -> None:
    used = count(None, record(generation()))
    assert used["cost"] is used["currency"] is used["samples_without_cost"] is None
    assert usage_facts(with_usage(used)) == [("Tokens in", "1 M"), ("Tokens out", "100 k")]


def test_unknown_usage_is_not_printed() -> None:
    assert format_usage_line(with_usage(count(None, record(Generation(text="x"))))) == ""
    assert format_usage_line(with_usage({})) == ""


def test_audio_duration_is_read_from_headers(tone: Callable[..., Path]) -> None:
    path = str(tone("a.wav", seconds=0.5))
    both = Sample(id="1", inputs={"audio": [Audio(path), Audio(path, end=0.25)], "question": "x"})
    assert sample_audio_seconds(both) == 0.75
    assert sample_audio_seconds(Sample(id="1", inputs={"audio": Audio("nowhere.wav")})) is None


def test_journal_stores_audio_duration_and_cache_hits() -> None:
    original = record(generation(), audio_seconds=1.5, cached=1)
    assert decode_record(json.loads(encode_record(original))) == original
    assert b"audio_seconds" not in encode_record(record(generation()))


def test_small_amounts_keep_four_digits() -> None:
    assert [format_money(amount, "USD") for amount in (0.0, 0.000123, 12.345)] == [
        "0.00 USD",
        "0.000123 USD",
        "12.35 USD",
    ]
