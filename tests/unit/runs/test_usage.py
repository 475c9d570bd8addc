"""What answers took and cost, where that is known, and said to be unknown where it is not."""

import json
from pathlib import Path
from typing import Any

import pytest
import yaml

from auricle import Audio, Generation, Sample, Spec, SpecError, evaluate, score
from auricle.api import load_metrics
from auricle.core.serialization import decode_record, encode_record
from auricle.core.types import Failure, Record
from auricle.report.usage_text import format_usage_line, usage_facts
from auricle.runs.usage import Budget, Price, Prices, UsageTotals, format_money, sample_audio_seconds

TOKENS = Price("m", input=2.0, output=10.0)


def record(*outputs: Any, sounds: bool = False, at: int = 0, **known: Any) -> Any:
    inputs = {"audio": Audio("x.wav")} if sounds else {"question": "x"}
    sample = Sample(id=str(at), inputs=inputs)
    return Record(sample=sample, row=at, key=f"k{at}", outputs=outputs, **known)


def said(read: int = 1_000_000, wrote: int = 100_000) -> Any:
    return Generation(text="x", input_tokens=read, tokens=wrote)


def tallied(price: Any, *records: Any) -> Any:
    tally = UsageTotals(price)
    for each in records:
        tally.add(each)
    return tally.to_dict()


# --- prices --------------------------------------------------------------------------


def test_a_price_is_found_by_name_then_by_the_first_pattern_that_fits() -> None:
    prices = Prices.parse({"gpt-*": {"input": 1}, "*": {"input": 2}, "gpt-4o": {"input": 3}}, "p.yaml")
    assert [prices.find(name).input for name in ("gpt-4o", "gpt-5", "x")] == [3, 1, 2]


def test_a_currency_holds_for_the_file_or_for_one_model() -> None:
    given = {"currency": "EUR", "a": {"input": 1}, "b": {"input": 1, "currency": "CNY"}}
    prices = Prices.parse(given, "p.yaml")
    assert (prices.find("a").currency, prices.find("b").currency) == ("EUR", "CNY")
    assert Prices.parse({"a": {"input": 1}}, "p.yaml").find("a").currency == "USD"


@pytest.mark.parametrize(
    ("entry", "complaint"),
    [
        ({"inptu": 1}, "p.yaml: a: unknown inptu; known are input, output"),
        ({"input": "much"}, "p.yaml: a: input should be a number, not 'much'"),
        ({"input": -1}, "p.yaml: a: input should be a number, not -1"),
        (3, "p.yaml: a should hold some of input"),
    ],
)
def test_a_wrong_price_is_refused_by_name(entry: Any, complaint: str) -> None:
    with pytest.raises(SpecError, match=complaint):
        Prices.parse({"a": entry}, "p.yaml")


def test_a_model_without_a_price_is_told_with_those_that_have_one() -> None:
    with pytest.raises(SpecError, match=r"p\.yaml has no price for b; it has a\.") as refusal:
        Prices.parse({"a": {"input": 1}}, "p.yaml").find("b")
    assert "b: {input: 2.5, output: 10}" in str(refusal.value)


# --- sums ----------------------------------------------------------------------------


def test_tokens_and_their_cost_are_summed() -> None:
    used = tallied(TOKENS, record(said()), record(said(), said()))
    assert (used["requests"], used["input_tokens"], used["output_tokens"]) == (3, 3_000_000, 300_000)
    assert (used["cost"], used["currency"]) == (9.0, "USD")
    assert (used["samples_without_usage"], used["samples_without_cost"]) == (0, 0)


def test_minutes_of_sound_and_requests_have_a_price() -> None:
    price = Price("m", audio_minute=0.6, request=0.01)
    used = tallied(price, record(Generation(text="x"), sounds=True, audio_seconds=30.0))
    assert (used["cost"], used["audio_seconds"]) == (0.31, 30.0)
    assert (used["samples_without_usage"], used["samples_without_cost"]) == (1, 0)


def test_unknown_usage_is_unknown_and_not_zero() -> None:
    used = tallied(TOKENS, record(Generation(text="x")))
    assert used["cost"] is used["input_tokens"] is used["output_tokens"] is None
    assert format_usage_line({"usage": used}) == "Usage: the cost of 1 sample unknown"
    assert (used["samples_without_usage"], used["samples_without_cost"]) == (1, 1)


def test_partly_known_usage_is_a_lower_bound() -> None:
    used = tallied(TOKENS, record(said()), record(Generation(text="x", tokens=100_000)))
    assert (used["cost"], used["samples_without_cost"]) == (4.0, 1)
    line = format_usage_line({"usage": used})
    assert line.endswith("at least 4.00 USD, the cost of 1 sample unknown")
    assert dict(usage_facts({"usage": used}))["Cost"] == "≥ 4.00 USD"


def test_a_sound_of_unknown_length_has_an_unknown_cost() -> None:
    price = Price("m", audio_minute=0.6)
    used = tallied(price, record(said(), sounds=True))
    assert (used["cost"], used["samples_without_cost"]) == (None, 1)


def test_a_question_without_sounds_costs_no_minutes() -> None:
    used = tallied(Price("m", audio_minute=0.6), record(said()))
    assert (used["cost"], used["samples_without_cost"]) == (0.0, 0)


def test_answers_known_from_before_cost_nothing() -> None:
    used = tallied(TOKENS, record(said(), cached=1), record(said()))
    assert (used["requests"], used["cached"], used["cost"]) == (2, 1, 3.0)
    assert used["input_tokens"] == 1_000_000


def test_failures_count_as_attempts_only() -> None:
    used = tallied(TOKENS, record(error=Failure("Transient", "429"), attempts=4))
    assert (used["requests"], used["attempts"], used["cost"]) == (0, 4, 0.0)


def test_without_prices_there_is_usage_and_no_cost() -> None:
    used = tallied(None, record(said()))
    assert used["cost"] is used["currency"] is used["samples_without_cost"] is None
    assert usage_facts({"usage": used}) == [("Tokens in", "1 M"), ("Tokens out", "100 k")]


def test_nothing_known_is_not_told() -> None:
    assert format_usage_line({"usage": tallied(None, record(Generation(text="x")))}) == ""
    assert format_usage_line({}) == ""


def test_the_seconds_of_sounds_are_read_from_their_headers(tone: Any) -> None:
    path = str(tone("a.wav", seconds=0.5))
    both = Sample(id="1", inputs={"audio": [Audio(path), Audio(path, end=0.25)], "question": "x"})
    assert sample_audio_seconds(both) == 0.75
    assert sample_audio_seconds(Sample(id="1", inputs={"audio": Audio("nowhere.wav")})) is None


def test_the_journal_keeps_seconds_of_sound_and_what_was_cached() -> None:
    kept = record(said(), audio_seconds=1.5, cached=1)
    assert decode_record(json.loads(encode_record(kept))) == kept
    assert b"audio_seconds" not in encode_record(record(said()))


def test_money_keeps_what_is_less_than_a_cent() -> None:
    assert [format_money(each, "USD") for each in (0.0, 0.000123, 12.345)] == ["0.00 USD", "0.000123 USD", "12.35 USD"]


# --- runs ----------------------------------------------------------------------------

CODE = """
from auricle import AsyncModel, Generation

class Paid(AsyncModel):
    def __init__(self, model="paid-1", told=True):
        self.told = told

    async def generate(self, request):
        known = {"tokens": 10_000, "input_tokens": 100_000} if self.told else {}
        return Generation(text="x", **known)
"""
EACH = 0.3  # 0.1 million read at 2, 0.01 million written at 10


@pytest.fixture
def paid(tmp_path: Path) -> Any:
    (tmp_path / "paid.py").write_text(CODE)
    return f"{tmp_path / 'paid.py'}:Paid"


@pytest.fixture
def prices(tmp_path: Path) -> Any:
    path = tmp_path / "prices.yaml"
    path.write_text(yaml.safe_dump({"paid-*": {"input": 2, "output": 10}}))
    return path


@pytest.fixture
def run(auricle: Any, paid: Any, prices: Any, manifest: Any) -> Any:
    data = manifest([{"id": str(at), "question": f"q {at}", "answer": "x"} for at in range(40)])

    def call(*words: Any, told: str = "true") -> Any:
        command = ["run", data, "--as", "qa", "-m", paid, "-M", "model=paid-1", "-j", "1"]
        return auricle(*command, "-M", f"told={told}", "-o", "run", "--prices", prices, *words)

    return call


def test_metrics_and_report_tell_usage_and_cost(run: Any, tmp_path: Path) -> None:
    done = run()
    assert done.returncode == 0
    used = json.loads((tmp_path / "run/metrics.json").read_text())["usage"]
    assert used["cost"] == pytest.approx(40 * EACH)
    line = "Usage: tokens 4,000,000 in + 400,000 out, 12.00 USD"
    assert line in done.stdout
    assert "12.00 USD" in (tmp_path / "run/report.html").read_text()


def test_scoring_again_tells_the_same_cost(run: Any, tmp_path: Path) -> None:
    run()
    score(tmp_path / "run")
    assert load_metrics(tmp_path / "run")["usage"]["cost"] == pytest.approx(40 * EACH)


def test_a_run_stops_once_its_money_is_spent(run: Any, tmp_path: Path) -> None:
    done = run("--max-cost", 3)
    assert done.returncode == 3
    assert "3.00 USD are spent, and 3.00 USD were allowed" in done.stderr
    assert "resume with another --max-cost: auricle run" in done.stderr
    answered = (tmp_path / "run/outputs.jsonl").read_text().count("\n")
    assert answered == 10


def test_what_was_spent_before_counts_and_more_money_finishes_the_run(run: Any, tmp_path: Path) -> None:
    run("--max-cost", 3)
    assert run("--max-cost", 3).returncode == 3
    assert (tmp_path / "run/outputs.jsonl").read_text().count("\n") == 10
    assert run("--max-cost", 4.5).returncode == 3
    assert (tmp_path / "run/outputs.jsonl").read_text().count("\n") == 15
    assert run("--max-cost", 100).returncode == 0
    assert (tmp_path / "run/outputs.jsonl").read_text().count("\n") == 40


def test_a_finished_run_may_be_looked_at_with_an_empty_purse(run: Any) -> None:
    assert run().returncode == 0
    assert run("--max-cost", 1).returncode == 0


def test_a_limit_that_cannot_be_kept_stops_the_run(run: Any, tmp_path: Path) -> None:
    done = run("--max-cost", 3, told="false")
    assert done.returncode == 3
    assert "--max-cost cannot be kept" in done.stderr
    assert (tmp_path / "run/outputs.jsonl").read_text().count("\n") < 40


def test_a_limit_without_prices_is_refused(auricle: Any, manifest: Any) -> None:
    data = manifest([{"id": "1", "question": "x", "answer": "x"}])
    done = auricle("run", data, "--as", "qa", "-m", "echo", "--max-cost", 3)
    assert done.returncode == 2
    assert "give --prices FILE" in done.stderr


def test_a_model_without_a_price_is_refused_before_it_is_asked(run: Any, prices: Any, tmp_path: Path) -> None:
    prices.write_text("other: {input: 1}")
    done = run()
    assert done.returncode == 2
    assert "has no price for paid-1" in done.stderr
    assert not (tmp_path / "run").exists()


def test_an_answer_told_anew_is_not_paid_twice(paid: Any, tmp_path: Path, manifest: Any) -> None:
    def rows(target: Any) -> Any:
        return manifest([{"id": str(at), "question": f"q {at}", "answer": target} for at in "ab"])

    def spec(data: Any) -> Any:
        return Spec(task="qa", task_args={"data": str(data)}, model=paid)

    evaluate(spec(rows("x")), tmp_path / "run")
    purse = Budget(Price("m", input=2, output=10), limit=100)
    evaluate(spec(rows("y")), tmp_path / "run", observer=purse)
    assert purse.totals.cost == pytest.approx(2 * EACH)
