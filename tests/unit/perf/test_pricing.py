"""What a load costs, by the piece and by the hour."""

import json
from pathlib import Path
from typing import Any

import pytest

from auricle.perf.definitions import COST_MEASURES, RUN_DEFINITIONS
from auricle.perf.pricing import Pricing
from auricle.perf.report.tables import format_costs, format_outcomes
from auricle.perf.summary import summarise
from auricle.runs.usage import Price
from tests.support.simulated_servers import streamed

RATES = {"tok_in_s": 1000.0, "tok_out_s": 100.0, "audio_in_x": 20.0, "req_s": 4.0}


def run(**changed: Any) -> Any:
    return {name: {"value": value} for name, value in {**RATES, **changed}.items()}


def test_an_api_is_paid_by_what_it_reads_hears_and_says() -> None:
    price = Price("x", input=2.0, output=10.0, audio_minute=0.006, request=0.001)
    found = Pricing.from_prices(price, None).compute_costs(run())
    # An hour reads 3.6 million tokens, writes 0.36, hears 1,200 minutes and is asked 14,400 times.
    assert found["cost_hour"] == pytest.approx(7.2 + 3.6 + 7.2 + 14.4)
    assert found["cost_audio_hour"] == pytest.approx(32.4 / 20)
    assert found["cost_1k_requests"] == pytest.approx(32.4 / 14.4)


def test_a_machine_costs_its_hour_whatever_it_does() -> None:
    busy, idle = (Pricing.from_prices(None, 2.5).compute_costs(run(audio_in_x=x)) for x in (20.0, 1.0))
    assert busy["cost_hour"] == idle["cost_hour"] == 2.5
    assert busy["cost_audio_hour"] == 0.125
    assert idle["cost_audio_hour"] == 2.5


def test_what_is_priced_and_unknown_makes_the_cost_unknown() -> None:
    priced = Pricing.from_prices(Price("x", output=10.0), None)
    assert priced.compute_costs(run(tok_out_s=None)) == dict.fromkeys(COST_MEASURES)
    assert priced.compute_costs(run(tok_in_s=None))["cost_hour"] is not None
    hourly = Pricing.from_prices(None, 1.0)
    assert hourly.compute_costs(run(audio_in_x=None))["cost_audio_hour"] is None
    assert hourly.compute_costs(run(req_s=0.0))["cost_1k_requests"] is None


def test_nothing_is_billed_where_nothing_is_said() -> None:
    assert Pricing.from_prices(None, None) is None
    assert Pricing.from_prices(None, 0.0).compute_costs(run())["cost_hour"] == 0.0


def test_a_point_tells_its_cost_in_its_currency() -> None:
    said = [streamed(at, sent=at / 10, due=at / 10, body=str(at), audio_seconds=6.0) for at in range(200)]
    plain, paid = (
        summarise(said, "poisson:10", window_kind="all", pricing=b) for b in (None, Pricing.from_prices(None, 3.0))
    )
    assert format_costs(plain) == []
    assert all(plain["run"][name]["value"] is None for name in COST_MEASURES)
    sound = 3 / paid["run"]["audio_in_x"]["value"]
    assert paid["run"]["cost_audio_hour"]["value"] == pytest.approx(sound)
    assert format_outcomes(paid)[-1].startswith("3 USD an hour, 0.05")
    assert {*COST_MEASURES} <= RUN_DEFINITIONS.keys()


def test_a_measurement_is_priced_while_it_is_made_or_afterwards(measured: Any, auricle: Any, tmp_path: Path) -> None:
    folder = measured("closed:2", count=4, bill=Pricing(Price("fake", currency="EUR"), 2.0)).folder
    summary = json.loads((folder / "summary.json").read_text())
    assert summary["points"][0]["run"]["cost_hour"]["value"] == 2.0
    assert summary["points"][0]["currency"] == "EUR"
    (tmp_path / "prices.yaml").write_text("fake: {request: 0.5}\n")
    told = auricle("perf", folder, "--prices", "prices.yaml")
    assert "closed:2: " in told.stdout
    assert "500 USD for a thousand requests." in told.stdout
    again = auricle("perf", folder)
    assert "500 USD for a thousand requests." in again.stdout


def test_a_model_without_a_price_is_the_users_move(measured: Any, auricle: Any, tmp_path: Path) -> None:
    folder = measured("closed:1", count=2).folder
    (tmp_path / "prices.yaml").write_text("other: {request: 0.5}\n")
    told = auricle("perf", folder, "--prices", "prices.yaml")
    assert told.returncode == 2
    assert "has no price for fake" in told.stderr
