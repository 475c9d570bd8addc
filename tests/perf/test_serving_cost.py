import pytest

from auricle.perf.measures import COST_MEASURES, RUN_DEFINITIONS
from auricle.perf.report.tables import format_costs, format_outcomes
from auricle.perf.serving_cost import Pricing
from auricle.perf.summary import summarise
from auricle.runs.perf_files import RunMeasure
from auricle.runs.usage import Price
from tests.support.simulated_servers import even_streams

RATES: dict[str, float | None] = {"tok_in_s": 1000.0, "tok_out_s": 100.0, "audio_in_x": 20.0, "req_s": 4.0}


def build_run(**rates: float | None) -> dict[str, RunMeasure]:
    return {name: RunMeasure(value) for name, value in {**RATES, **rates}.items()}


def test_api_cost_adds_up_tokens_audio_and_requests() -> None:
    price = Price("x", input=2.0, output=10.0, audio_minute=0.006, request=0.001)
    costs = Pricing(price).compute_costs(build_run())
    # One hour: 3.6 million input tokens, 0.36 million output tokens, 1,200 minutes of audio, 14,400 requests.
    assert costs["cost_hour"] == pytest.approx(7.2 + 3.6 + 7.2 + 14.4)
    assert costs["cost_audio_hour"] == pytest.approx(32.4 / 20)
    assert costs["cost_1k_requests"] == pytest.approx(32.4 / 14.4)


def test_machine_hour_costs_the_same_when_idle() -> None:
    pricing = Pricing(Price(""), 2.5)
    busy, idle = (pricing.compute_costs(build_run(audio_in_x=rate)) for rate in (20.0, 1.0))
    assert busy["cost_hour"] == idle["cost_hour"] == 2.5
    assert busy["cost_audio_hour"] == 0.125
    assert idle["cost_audio_hour"] == 2.5


def test_unknown_priced_quantity_makes_the_cost_unknown() -> None:
    per_token = Pricing(Price("x", output=10.0))
    assert per_token.compute_costs(build_run(tok_out_s=None)) == dict.fromkeys(COST_MEASURES)
    assert per_token.compute_costs(build_run(tok_in_s=None))["cost_hour"] is not None
    hourly = Pricing(Price(""), 1.0)
    assert hourly.compute_costs(build_run(audio_in_x=None))["cost_audio_hour"] is None
    assert hourly.compute_costs(build_run(req_s=0.0))["cost_1k_requests"] is None


def test_pricing_needs_a_price() -> None:
    assert Pricing.from_prices(None, None) is None
    free = Pricing.from_prices(None, 0.0)
    assert free is not None
    assert free.compute_costs(build_run())["cost_hour"] == 0.0


def test_pricing_survives_json() -> None:
    pricing = Pricing(Price("x", input=2.0, currency="EUR"), 1.5)
    assert set(pricing.to_dict()) == {"price", "hour"}
    assert Pricing.from_dict(pricing.to_dict()) == pricing
    assert Pricing.from_dict(None) is None


def test_summary_has_costs_in_the_currency_of_the_price() -> None:
    records = even_streams(audio_seconds=6.0)
    unpriced = summarise(records, "poisson:10", window_kind="all")
    priced = summarise(records, "poisson:10", window_kind="all", pricing=Pricing.from_prices(None, 3.0))
    assert format_costs(unpriced) == []
    assert all(unpriced.run[name].value is None for name in COST_MEASURES)
    assert priced.run["audio_in_x"].value
    assert priced.run["cost_audio_hour"].value == pytest.approx(3 / priced.run["audio_in_x"].value)
    assert format_outcomes(priced)[-1].startswith("3 USD per hour, 0.05")
    assert {*COST_MEASURES} <= RUN_DEFINITIONS.keys()
