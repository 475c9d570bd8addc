"""What serving costs under a load: by what is sent and said, by the hour of a machine, or both.

It follows from a point's rates, so it is about the load as it was borne: on a machine that idles
half the time, an hour of sound costs twice as much.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from auricle.runs.usage import MILLION, Price

SECONDS_PER_HOUR = 3600
NO_PRICE = Price("")


@dataclass(frozen=True, slots=True)
class Pricing:
    """What a model costs by the piece, and an hour of the machine it runs on."""

    price: Price
    machine_hour: float = 0.0

    @classmethod
    def from_prices(cls, price: Price | None, machine_hour: float | None) -> Pricing | None:
        """What is to be paid, if anything is said of it."""
        if price is None and machine_hour is None:
            return None
        return cls(price or NO_PRICE, machine_hour or 0.0)

    @classmethod
    def from_dict(cls, document: Mapping[str, Any] | None) -> Pricing | None:
        """As `asdict` wrote it."""
        return cls(Price(**document["price"]), document["hour"]) if document else None

    def compute_costs(self, run: Mapping[str, Any]) -> dict[str, float | None]:
        """By the names of `definitions.py`, from a run's rates; None where one is unknown."""
        whole = self._cost_per_hour(run)
        sound, requests = run["audio_in_x"]["value"], run["req_s"]["value"]
        return {
            "cost_hour": whole,
            "cost_audio_hour": _divide(whole, sound),
            "cost_1k_requests": _divide(whole, requests and requests * SECONDS_PER_HOUR / 1000),
        }

    def _cost_per_hour(self, run: Mapping[str, Any]) -> float | None:
        prices = {
            "tok_in_s": self.price.input * SECONDS_PER_HOUR / MILLION,
            "tok_out_s": self.price.output * SECONDS_PER_HOUR / MILLION,
            "audio_in_x": self.price.audio_minute * 60,
            "req_s": self.price.request * SECONDS_PER_HOUR,
        }
        whole = self.machine_hour
        for name, price in prices.items():
            rate = run[name]["value"]
            if price and rate is None:
                return None
            whole += price * (rate or 0.0)
        return whole


def _divide(numerator: float | None, denominator: float | None) -> float | None:
    return numerator / denominator if numerator is not None and denominator else None
