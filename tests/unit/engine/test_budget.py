"""Prices and budgets on the command line and in Python."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import yaml

from auricle import Spec, evaluate, score
from auricle.api import load_metrics
from auricle.engine.budget import Budget
from auricle.runs.usage import Price

CODE = """
from auricle import AsyncModel, Generation

class Paid(AsyncModel):
    def __init__(self, model="paid-1", reports_usage=True):
        self.reports_usage = reports_usage

    async def generate(self, request):
        usage = {"tokens": 10_000, "input_tokens": 100_000} if self.reports_usage else {}
        return Generation(text="x", **usage)
"""
COST_PER_ANSWER = 0.3  # 0.1 million read at 2, 0.01 million written at 10


@pytest.fixture
def paid(tmp_path: Path) -> str:
    (tmp_path / "paid.py").write_text(CODE)
    return f"{tmp_path / 'paid.py'}:Paid"


@pytest.fixture
def prices(tmp_path: Path) -> Path:
    path = tmp_path / "prices.yaml"
    path.write_text(yaml.safe_dump({"paid-*": {"input": 2, "output": 10}}))
    return path


@pytest.fixture
def run(auricle: Any, paid: str, prices: Path, manifest: Any) -> Callable[..., Any]:
    data = manifest([{"id": str(row), "question": f"q {row}", "answer": "x"} for row in range(40)])

    def call(*options: Any, reports_usage: str = "true") -> Any:
        command = ["run", data, "--as", "qa", "-m", paid, "-M", "model=paid-1", "-j", "1"]
        return auricle(*command, "-M", f"reports_usage={reports_usage}", "-o", "run", "--prices", prices, *options)

    return call


def test_metrics_and_report_contain_usage_and_cost(run: Any, tmp_path: Path) -> None:
    done = run()
    assert done.returncode == 0
    used = json.loads((tmp_path / "run/metrics.json").read_text())["usage"]
    assert used["cost"] == pytest.approx(40 * COST_PER_ANSWER)
    line = "Usage: tokens 4,000,000 in + 400,000 out, 12.00 USD"
    assert line in done.stdout
    assert "12.00 USD" in (tmp_path / "run/report.html").read_text()


def test_scoring_again_gives_the_same_cost(run: Any, tmp_path: Path) -> None:
    run()
    score(tmp_path / "run")
    assert load_metrics(tmp_path / "run").usage.cost == pytest.approx(40 * COST_PER_ANSWER)


def test_run_stops_at_its_limit(run: Any, tmp_path: Path) -> None:
    done = run("--max-cost", 3)
    assert done.returncode == 3
    assert "3.00 USD spent, the limit is 3.00 USD" in done.stderr
    assert "--max-cost: auricle run" in done.stderr
    answered = (tmp_path / "run/outputs.jsonl").read_text().count("\n")
    assert answered == 10


@pytest.mark.slow
def test_limit_includes_earlier_passes_and_a_higher_one_resumes(run: Any, tmp_path: Path) -> None:
    run("--max-cost", 3)
    assert run("--max-cost", 3).returncode == 3
    assert (tmp_path / "run/outputs.jsonl").read_text().count("\n") == 10
    assert run("--max-cost", 4.5).returncode == 3
    assert (tmp_path / "run/outputs.jsonl").read_text().count("\n") == 15
    assert run("--max-cost", 100).returncode == 0
    assert (tmp_path / "run/outputs.jsonl").read_text().count("\n") == 40


@pytest.mark.slow
def test_complete_run_ignores_the_limit(run: Any) -> None:
    assert run().returncode == 0
    assert run("--max-cost", 1).returncode == 0


def test_limit_that_cannot_be_enforced_stops_the_run(run: Any, tmp_path: Path) -> None:
    done = run("--max-cost", 3, reports_usage="false")
    assert done.returncode == 3
    assert "--max-cost cannot be enforced" in done.stderr
    assert (tmp_path / "run/outputs.jsonl").read_text().count("\n") < 40


def test_limit_without_prices_is_rejected(auricle: Any, manifest: Any) -> None:
    data = manifest([{"id": "1", "question": "x", "answer": "x"}])
    done = auricle("run", data, "--as", "qa", "-m", "echo", "--max-cost", 3)
    assert done.returncode == 2
    assert "--prices FILE" in done.stderr


def test_model_without_a_price_is_rejected_before_any_request(run: Any, prices: Any, tmp_path: Path) -> None:
    prices.write_text("other: {input: 1}")
    done = run()
    assert done.returncode == 2
    assert "has no price for paid-1" in done.stderr
    assert not (tmp_path / "run").exists()


def test_answer_with_a_new_target_is_counted_once(paid: Any, tmp_path: Path, manifest: Any) -> None:
    def build_spec(target: str) -> Spec:
        data = manifest([{"id": name, "question": f"q {name}", "answer": target} for name in "ab"])
        return Spec(task="qa", task_args={"data": str(data)}, model=paid)

    evaluate(build_spec("x"), tmp_path / "run")
    budget = Budget(Price("m", input=2, output=10), limit=100)
    evaluate(build_spec("y"), tmp_path / "run", observer=budget)
    assert budget.totals.cost == pytest.approx(2 * COST_PER_ANSWER)
