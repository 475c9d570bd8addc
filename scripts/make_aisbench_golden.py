"""Write tests/golden/aisbench.json: what AISBench's post-processors and evaluators return for replies of our own.

    python scripts/make_aisbench_golden.py ~/src/benchmark

Run it in an environment with AISBench's requirements and Auricle.
"""

from __future__ import annotations

import json
import logging
import random
import sys
from pathlib import Path
from typing import Any

from aisbench_cases import EVALUATOR_CASES, ReplyGenerator
from compare_aisbench import Upstream, UpstreamEvaluator, apply, postprocessor_cases
from comparison import checkout_argument

from auricle.frameworks.aisbench.evaluators import check_metric, list_metric_names

GOLDEN = Path(__file__).parent.parent / "tests" / "golden" / "aisbench.json"
SEED = 7
REPLY_COUNT = 50
PAIR_COUNT = 30


def main() -> None:
    sys.path.insert(0, str(checkout_argument(__doc__)))
    logging.disable(logging.WARNING)
    upstream = Upstream()
    generator = ReplyGenerator(random.Random(SEED))
    replies = [generator.any_reply() for _ in range(REPLY_COUNT)]
    postprocessors = [
        {"name": name, "options": options, "results": [apply(upstream.get(name), reply, options) for reply in replies]}
        for name, options in postprocessor_cases()
        if "_" in name  # the others are names of the same functions in AISBench's registry
    ]
    document: dict[str, list[Any]] = {
        "replies": [replies],
        "postprocessors": postprocessors,
        "evaluators": _score_cases(upstream),
    }
    lines = (
        f'"{section}": [\n' + ",\n".join(json.dumps(entry, ensure_ascii=False) for entry in entries) + "\n]"
        for section, entries in document.items()
    )
    GOLDEN.write_text("{\n" + ",\n".join(lines) + "\n}\n", encoding="utf-8")


def _score_cases(upstream: Upstream) -> list[dict[str, object]]:
    entries: list[dict[str, object]] = []
    for case in EVALUATOR_CASES:
        names = list_metric_names(case.evaluator, case.options)
        if check_metric(names[0]):
            continue
        evaluator = UpstreamEvaluator(upstream, case)
        pairs = [pair for pair in case.make_pairs(SEED, PAIR_COUNT) if evaluator.can_read(pair)]
        plain_names = [name.removeprefix("aisbench:").partition("?")[0] for name in names]
        entries.append(
            {"metrics": names, "pairs": pairs, "values": [evaluator.score(pairs, name) for name in plain_names]}
        )
    return entries


if __name__ == "__main__":
    main()
