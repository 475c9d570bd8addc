"""Prices and budgets on the command line and in Python."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import yaml

from auricle import Spec, evaluate, score
from auricle.api import load_metrics
from auricle.core.errors import SpecError
from auricle.core.types import Failure, Generate, Generation, Record, Sample
from auricle.engine.budget import Budget
from auricle.engine.observer import Observer
from auricle.runs.progress import Progress
from auricle.runs.run_directory import Run
from auricle.runs.run_spec import RunSpec
from auricle.runs.usage import Price, RunPrices
from auricle.runs.verdicts import JudgeRequest, Verdict

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


# --- the observer itself --------------------------------------------------------------------

PRICE = Price("paid-1", input=2, output=10)


class Stops:
    """Counts how often a run is stopped."""

    def __init__(self) -> None:
        self.count = 0

    def __call__(self) -> None:
        self.count += 1


class RecordsCallbacks(Observer):
    def __init__(self) -> None:
        self.started: list[Run] = []
        self.results: list[Record] = []

    def on_start(self, run: Run, stop: Callable[[], None], /) -> None:
        self.started.append(run)

    def on_result(self, result: Record, /) -> None:
        self.results.append(result)


def answer(name: str, tokens: int | None = 10_000, key: str = "k", error: Failure | None = None) -> Record:
    usage: dict[str, Any] = {} if tokens is None else {"tokens": tokens, "input_tokens": 10 * tokens}
    outputs = () if error else (Generation(text="x", **usage),)
    return Record(sample=Sample(id=name, inputs={}), row=0, outputs=outputs, error=error, key=key)


@pytest.fixture
def empty_run(tmp_path: Path) -> Any:
    with Run.open(tmp_path / "begun", RunSpec(identity={}, spec={})) as run:
        yield run


def test_budget_stops_when_the_limit_is_reached_and_forwards_callbacks(empty_run: Run) -> None:
    observer, stop = RecordsCallbacks(), Stops()
    budget = Budget(PRICE, limit=3.0).with_observer(observer)
    budget.on_start(empty_run, stop)
    records = [answer(str(number)) for number in range(10)]
    for record in records[:9]:
        budget.on_result(record)
    assert (stop.count, budget.stop_reason) == (0, "")
    budget.on_result(records[9])
    assert stop.count == 1
    assert budget.stop_reason == "3.00 USD spent, the limit is 3.00 USD"
    assert (observer.started, observer.results) == ([empty_run], records)
    assert RunPrices.load(empty_run.path) == RunPrices(PRICE)


def test_budget_without_a_limit_only_stores_the_price(empty_run: Run) -> None:
    budget, stop = Budget(PRICE), Stops()
    budget.on_start(empty_run, stop)
    budget.on_result(answer("a"))
    assert (stop.count, budget.totals.cost, budget.stop_reason) == (0, 0.0, "")
    assert RunPrices.load(empty_run.path) == RunPrices(PRICE)


@pytest.mark.parametrize(("limit", "is_complete", "stops"), [(0.6, False, 1), (0.61, False, 0), (0.6, True, 0)])
def test_answers_of_earlier_passes_count_unless_the_run_is_complete(
    empty_run: Run, limit: float, is_complete: bool, stops: int
) -> None:
    failure = Failure("Transient", "late")
    for record in (answer("a", key="ka"), answer("b", key="kb"), answer("c", key="kc", error=failure)):
        empty_run.append(record)
    empty_run.flush()
    empty_run.write_progress(Progress(complete=is_complete))
    budget, stop = Budget(PRICE, limit=limit), Stops()
    budget.on_start(empty_run, stop)
    assert stop.count == stops
    assert budget.totals.cost == pytest.approx(2 * COST_PER_ANSWER)
    budget.on_result(answer("a", key="ka"))  # reported again
    assert budget.totals.cost == pytest.approx(2 * COST_PER_ANSWER)
    budget.on_result(answer("a", key="other"))
    budget.on_result(answer("c", key="kc"))
    assert budget.totals.cost == pytest.approx(4 * COST_PER_ANSWER)


def test_ten_answers_without_usage_stop_the_run(empty_run: Run) -> None:
    budget, stop = Budget(PRICE, limit=100.0), Stops()
    budget.on_start(empty_run, stop)
    for number in range(9):
        budget.on_result(answer(str(number), tokens=None))
    assert stop.count == 0
    budget.on_result(answer("9", tokens=None))
    assert stop.count == 1
    assert budget.stop_reason.startswith("paid-1 does not report the usage it charges for")


def test_some_answers_without_usage_make_the_cost_a_lower_bound(empty_run: Run) -> None:
    budget, stop = Budget(PRICE, limit=0.6), Stops()
    budget.on_start(empty_run, stop)
    budget.on_result(answer("priced"))
    for number in range(12):
        budget.on_result(answer(str(number), tokens=None))
    assert stop.count == 0
    budget.on_result(answer("priced too"))
    assert stop.count == 1
    assert budget.stop_reason == "at least 0.6 USD spent, the limit is 0.6 USD"


@pytest.mark.parametrize(("cost", "stops"), [(2.999_999_999_6, 1), (2.999_999_996, 0)])
def test_limit_is_reached_despite_rounding_errors(empty_run: Run, cost: float, stops: int) -> None:
    budget, stop = Budget(Price("m", request=cost), limit=3.0), Stops()
    budget.on_start(empty_run, stop)
    budget.on_result(answer("a"))
    assert stop.count == stops


# --- judges -----------------------------------------------------------------------------------

JUDGE_PRICE = Price("judge-1", input=1, output=5)  # 0.01 per verdict below


def make_verdict(key: str, judge: str = "judge", tokens: int | None = 1000, error: Failure | None = None) -> Verdict:
    request = JudgeRequest(key, "s", "judged", Generate(turns=()))
    usage: dict[str, Any] = {} if tokens is None else {"tokens": tokens, "input_tokens": 5 * tokens}
    return Verdict(request, judge, None if error else Generation(text="Verdict: yes", **usage), error, 1.0)


def test_verdicts_count_towards_the_limit_of_the_run(empty_run: Run) -> None:
    budget, stop, stop_judge = Budget(PRICE, 0.33, {"judge": JUDGE_PRICE}), Stops(), Stops()
    budget.on_start(empty_run, stop)
    budget.on_result(answer("a"))
    budget.on_judging(empty_run, 4, stop_judge)
    for key in "abc":
        assert budget.stop_reason == ""
        budget.on_verdict(make_verdict(key))
    assert (stop.count, stop_judge.count) == (0, 1)
    assert budget.stop_reason == "0.33 USD spent, the limit is 0.33 USD"
    assert budget.cost == pytest.approx(0.33)
    assert RunPrices.load(empty_run.path) == RunPrices(PRICE, {"judge": JUDGE_PRICE})


def test_verdicts_of_earlier_passes_count_once(empty_run: Run) -> None:
    lines = [
        make_verdict("a"),
        make_verdict("b"),
        make_verdict("c", "free"),
        make_verdict("d", error=Failure("X", "y")),
    ]
    empty_run.verdicts_path.write_bytes(b"".join(line.to_json_line() for line in lines))
    budget, stop = Budget(None, 0.025, {"judge": JUDGE_PRICE}), Stops()
    for _ in range(2):  # two judges of one run
        budget.on_judging(empty_run, 2, stop)
    assert stop.count == 0
    assert budget.cost == pytest.approx(0.02)
    budget.on_verdict(make_verdict("e", "free"))
    assert stop.count == 0
    budget.on_verdict(make_verdict("e"))
    assert (stop.count, budget.stop_reason) == (1, "0.03 USD spent, the limit is 0.025 USD")


def test_ten_verdicts_without_usage_stop_the_judge(empty_run: Run) -> None:
    budget, stop = Budget(None, 1.0, {"judge": JUDGE_PRICE}), Stops()
    budget.on_judging(empty_run, 20, stop)
    for number in range(10):
        assert stop.count == 0
        budget.on_verdict(make_verdict(str(number), tokens=None))
    assert (stop.count, budget.stop_reason.partition(" does not")[0]) == (1, "the judge")


def test_verdicts_without_a_limit_are_not_counted(empty_run: Run) -> None:
    budget = Budget(None, judge_prices={"judge": JUDGE_PRICE})
    budget.on_judging(empty_run, 1, Stops())
    budget.on_verdict(make_verdict("a"))
    assert budget.cost == 0.0
    assert RunPrices.load(empty_run.path).judges == {"judge": JUDGE_PRICE}


def test_a_limit_needs_one_currency() -> None:
    with pytest.raises(SpecError, match="A limit needs prices in one currency; these are in EUR and USD"):
        Budget(PRICE, 1.0, {"judge": Price("j", request=1.0, currency="EUR")})
    assert Budget(PRICE, None, {"judge": Price("j", currency="EUR")}).cost == 0.0


PAID_JUDGE = """
from auricle import AsyncModel, Generation

class Judge(AsyncModel):
    def __init__(self, model="judge-1"):
        pass

    async def generate(self, request):
        return Generation(text="Verdict: yes", tokens=1_000, input_tokens=5_000)
"""


def test_a_run_and_a_score_stop_their_judge_at_the_limit(
    auricle: Any, prices: Path, manifest: Any, tmp_path: Path
) -> None:
    (tmp_path / "judge.py").write_text(PAID_JUDGE)
    prices.write_text(yaml.safe_dump({"echo": {"request": 0.001}, "judge-*": {"input": 1, "output": 5}}))
    data = manifest([{"id": str(row), "question": f"q {row}", "answer": "x"} for row in range(20)])
    judged = ("--judge", "judge.py:Judge", "-J", "model=judge-1", "--prices", prices, "-j", "1")
    task = ("run", data, "--as", "qa", "-m", "echo", "-T", "metrics=judge-reference", "-o", "run")
    done = auricle(*task, *judged, "--max-cost", 0.1)
    assert done.returncode == 3
    assert "The judge was stopped: 0.1 USD spent, the limit is 0.1 USD." in done.stderr
    assert "12 verdicts are missing, 0 failed. Request them with a higher --max-cost: auricle run" in done.stderr
    assert "; judge judge.py:Judge#" in done.stdout
    assert "tokens 40,000 in + 8,000 out, 0.08 USD; 0.1 USD in total" in done.stdout
    done = auricle("score", "run", *judged, "--max-cost", 0.15)
    assert done.returncode == 3
    assert "5 verdicts are missing" in done.stderr
    assert auricle("score", "run", *judged).returncode == 0
    used = load_metrics(tmp_path / "run")
    assert used.usage.cost == pytest.approx(0.02)
    assert used.judges[0].cost == pytest.approx(0.2)


def test_a_limit_needs_the_price_of_the_judge(auricle: Any, prices: Path, manifest: Any, tmp_path: Path) -> None:
    (tmp_path / "judge.py").write_text(PAID_JUDGE)
    prices.write_text("echo: {request: 0.001}")
    data = manifest([{"id": "1", "question": "q", "answer": "x"}])
    task = ("run", data, "--as", "qa", "-m", "echo", "-T", "metrics=judge-reference", "-o", "run")
    judged = ("--judge", "judge.py:Judge", "-J", "model=judge-1", "--prices", prices)
    done = auricle(*task, *judged, "--max-cost", 1)
    assert (done.returncode, "has no price for judge-1" in done.stderr) == (2, True)
    assert auricle(*task, *judged).returncode == 0
