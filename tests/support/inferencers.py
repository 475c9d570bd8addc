"""Samples and scripted answers for tests of inferencers."""

from __future__ import annotations

import asyncio
from typing import Any

from auricle import Generation, Sample


def make_question(**more: Any) -> Any:
    return Sample(id="1", inputs={"q": "x"}, **more)


def run_inferencer(inferencer: Any, sample: Any) -> Any:
    """Return the requests and the texts of the answers `answer 1`, `answer 2` and so on."""
    requests = []

    async def ask(request: Any) -> Any:
        requests.append(request)
        return Generation(text=f"answer {len(requests)}")

    outputs = asyncio.run(inferencer(sample, ask))
    return requests, [output.text for output in outputs]
