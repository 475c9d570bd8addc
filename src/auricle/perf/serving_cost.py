"""Compute the cost of serving a load from usage prices, the price of a machine hour, or both.

Costs follow from the measured rates: on a machine that is idle half of the time, an hour of audio costs twice as much.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any

from auricle.runs.perf_files import RunMeasure
from auricle.runs.usage import MILLION, Price

SECONDS_PER_HOUR = 3600
NO_PRICE = Price("")


@dataclass(frozen=True, slots=True)
class Pricing:
    """Usage prices of a model, and the price of an hour of its machine."""

    price: Price
    machine_hour: float = 0.0

    @classmethod
    def from_prices(cls, price: Price | None, machine_hour: float | None) -> Pricing | None:
        """Combine a usage price and an hourly price; None if neither is set."""
        if price is None and machine_hour is None:
            return None
        return cls(price or NO_PRICE, machine_hour or 0.0)

    @classmethod
    def from_dict(cls, document: Mapping[str, Any] | None) -> Pricing | None:
        """Read what `to_dict` returned."""
        return cls(Price(**document["price"]), document["hour"]) if document else None

    def to_dict(self) -> dict[str, Any]:
        return {"price": asdict(self.price), "hour": self.machine_hour}

    def compute_costs(self, rates: Mapping[str, RunMeasure]) -> dict[str, float | None]:
        """Compute the cost measures from a run's rates; None where a rate is unknown."""
        cost_hour = self._cost_per_hour(rates)
        request_rate = rates["req_s"].value
        return {
            "cost_hour": cost_hour,
            "cost_audio_hour": _divide(cost_hour, rates["audio_in_x"].value),
            "cost_1k_requests": _divide(cost_hour, request_rate and request_rate * SECONDS_PER_HOUR / 1000),
        }

    def _cost_per_hour(self, rates: Mapping[str, RunMeasure]) -> float | None:
        prices = {
            "tok_in_s": self.price.input * SECONDS_PER_HOUR / MILLION,
            "tok_out_s": self.price.output * SECONDS_PER_HOUR / MILLION,
            "audio_in_x": self.price.audio_minute * 60,
            "req_s": self.price.request * SECONDS_PER_HOUR,
        }
        cost = self.machine_hour
        for name, price in prices.items():
            rate = rates[name].value
            if price and rate is None:
                return None
            cost += price * (rate or 0.0)
        return cost


def _divide(numerator: float | None, denominator: float | None) -> float | None:
    return numerator / denominator if numerator is not None and denominator else None
