"""Examples shown before a sample: who chooses them, from which pool, and how many fit."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Protocol

from auricle.types import Input, Sample


@dataclass(frozen=True, slots=True)
class Shot:
    """One example: what was asked, and how a right answer to it is written."""

    id: str
    inputs: Mapping[str, Input]
    answer: str


class Shots(Protocol):
    """Whoever knows a sample's examples. Its `repr` is its signature."""

    def of(self, sample: Sample) -> tuple[Shot, ...]: ...
