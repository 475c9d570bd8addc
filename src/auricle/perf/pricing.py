"""What serving costs under a load: by what is sent and said, by the hour of a machine, or both.

It follows from a point's rates, so it is about the load as it was borne: on a machine that idles
half the time, an hour of sound costs twice as much.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from auricle.runs.usage import MILLION, Price

HOUR = 3600
FREE = Price("")


@dataclass(frozen=True, slots=True)
class Bill:
    """What a model costs by the piece, and an hour of the machine it runs on."""

    price: Price
    hour: float = 0.0

    @classmethod
    def of(cls, price: Price | None, hour: float | None) -> Bill | None:
        """What is to be paid, if anything is said of it."""
        if price is None and hour is None:
            return None
        return cls(price or FREE, hour or 0.0)

    @classmethod
    def read(cls, held: Mapping[str, Any] | None) -> Bill | None:
        """As `asdict` wrote it."""
        return cls(Price(**held["price"]), held["hour"]) if held else None

    def costs(self, run: Mapping[str, Any]) -> dict[str, float | None]:
        """By the names of `definitions.py`, from a run's rates; None where one is unknown."""
        whole = self._an_hour(run)
        sound, requests = run["audio_in_x"]["value"], run["req_s"]["value"]
        return {
            "cost_hour": whole,
            "cost_audio_hour": _over(whole, sound),
            "cost_1k_requests": _over(whole, requests and requests * HOUR / 1000),
        }

    def _an_hour(self, run: Mapping[str, Any]) -> float | None:
        prices = {
            "tok_in_s": self.price.input * HOUR / MILLION,
            "tok_out_s": self.price.output * HOUR / MILLION,
            "audio_in_x": self.price.audio_minute * 60,
            "req_s": self.price.request * HOUR,
        }
        whole = self.hour
        for name, price in prices.items():
            rate = run[name]["value"]
            if price and rate is None:
                return None
            whole += price * (rate or 0.0)
        return whole


def _over(whole: float | None, parts: float | None) -> float | None:
    return whole / parts if whole is not None and parts else None
