"""Checks of the judges of a run: which samples, how many verdicts, and what is shown."""

from pathlib import Path
from typing import Any

import pytest

from auricle import Spec, SpecError, api
from auricle.engine.judge import read_judges
from auricle.engine.spec import JudgeSpec
from auricle.metrics.catalogue import METRICS
from auricle.runs.run_directory import Run
from auricle.runs.usage import Price
from auricle.studies.judges.document import CheckResult, JudgeChecks
from auricle.studies.judges.report import (
    CheckSettings,
    check_judges,
    choose_metric,
    find_family,
    format_checks,
    select_records,
)

CODE = """
from pathlib import Path
from auricle import AsyncModel, Generation

class Model(AsyncModel):
    def __init__(self, model, right=1):
        self.right = right

    async def generate(self, request):
        number = int(request.text.partition("q")[2])
        return Generation(text=f"{'right' if number % 3 < self.right else 'wrong'} {number}, signed {self.right}")

class Judge(AsyncModel):
    '''Accepts right answers, and every answer of its own family, which is signed with 1.'''

    def __init__(self, model, log):
        self.log = Path(log)

    async def generate(self, request):
        answer = request.turns[0].parts[0].partition("<answer>")[2].partition("</answer>")[0]
        with self.log.open("a") as log:
            log.write("x")
        good = "right" in answer or "signed 1" in answer
        return Generation(text=f"Verdict: {'yes' if good else 'no'}", tokens=100, input_tokens=1000)
"""


@pytest.fixture
def judged(tmp_path: Path, manifest: Any) -> Any:
    """A function that runs a model, and the judge of its answers."""
    (tmp_path / "fakes.py").write_text(CODE)
    rows = [{"id": f"s{row}", "question": f"q{row}", "answer": "right"} for row in range(40)]
    data = manifest(rows)
    arguments = {"model": "gpt-4.1", "log": str(tmp_path / "calls.log")}
    judge = JudgeSpec(model=f"{tmp_path / 'fakes.py'}:Judge", args=arguments)

    def run(name: str, model: str, right: int) -> Path:
        spec = Spec(
            task="qa",
            task_args={"data": str(data), "metrics": "judge-reference"},
            model=f"{tmp_path / 'fakes.py'}:Model",
            model_args={"model": model, "right": right},
            judge=judge,
        )
        api.evaluate(spec, tmp_path / name)
        return tmp_path / name

    return run


def count_calls(tmp_path: Path) -> int:
    return len((tmp_path / "calls.log").read_text())


def find(checks: JudgeChecks, check: str) -> CheckResult:
    return next(result for result in checks.results if result.check == check)


def test_verdicts_are_bounded_reused_and_stored(judged: Any, tmp_path: Path) -> None:
    run = judged("run", "gpt-4o", 1)
    announced: list[str] = []
    assert count_calls(tmp_path) == 40
    options = CheckSettings(12, announce=announced.append)
    checks, stop_reason = check_judges([run], options=options)
    assert (stop_reason, checks.metric) == ("", "judge-reference")
    assert count_calls(tmp_path) == 40 + 24, "the verdicts of the run are not requested again"
    name = checks.results[0].judge
    assert announced == [f"{name}: 24 verdicts to request on 12 samples."]
    assert find(checks, "consistency").n == 12
    again, _ = check_judges([run], options=options)
    assert count_calls(tmp_path) == 40 + 24
    assert again == checks == JudgeChecks.load(run)
    assert api.load_metrics(run).extras["judge_checks"] == checks.results
    report = (run / "report.html").read_text()
    assert "Checks of the judge" in report
    assert "verdicts that change when the same is asked again" in report
    assert "give a second run of another model on the same data" in find(checks, "self-preference").note


def test_the_estimate_has_the_most_it_may_cost(judged: Any) -> None:
    run = judged("run", "gpt-4o", 1)
    (judge,) = read_judges(Run.load(run))
    announced: list[str] = []
    prices = {judge.name: Price("gpt", request=0.5, output=1000)}
    check_judges([run], options=CheckSettings(10, prices=prices, announce=announced.append))
    assert announced[0].endswith("20 verdicts to request on 10 samples, up to 20.24 USD.")


def test_self_preference_needs_labels_and_a_model_of_another_family(judged: Any, tmp_path: Path) -> None:
    own, other = judged("own", "gpt-4o", 1), judged("other", "Qwen2-Audio", 2)
    (tmp_path / "own.csv").write_text(
        "\n".join(["id,label", *(f"s{row},{'yes' if row % 3 < 1 else 'no'}" for row in range(40))])
    )
    (tmp_path / "other.csv").write_text(
        "\n".join(["id,label", *(f"s{row},{'yes' if row % 3 < 2 else 'no'}" for row in range(40))])
    )
    checks, _ = check_judges([own, other])
    gap = find(checks, "self-preference")
    assert (gap.finding, "takes human labels" in gap.note) == ("", True)
    for run in (own, other):
        api.add_labels(run, tmp_path / f"{run.name}.csv")
    for order in ([own, other], [other, own]):
        checks, _ = check_judges(order)
        surplus = find(checks, "self-preference")
        assert surplus.finding == "biased"
        assert surplus.value == pytest.approx(26 / 40)


def test_families_that_do_not_fit_are_explained(judged: Any) -> None:
    runs = [judged("a", "gpt-4o", 1), judged("b", "gpt-4o-mini", 2), judged("c", "mine", 3), judged("d", "Qwen", 2)]
    notes = [find(check_judges(pair)[0], "self-preference").note for pair in (runs[:2], [runs[0], runs[2]])]
    assert notes[0] == "cannot be checked: exactly one of the models should be of the family GPT"
    assert notes[1] == "cannot be checked: the family of a model is not known from its name"


def test_labelled_samples_come_first(judged: Any, tmp_path: Path) -> None:
    run = judged("run", "gpt-4o", 1)
    first = [record.sample.id for record in select_records(Run.load(run), 5)]
    assert first == [record.sample.id for record in select_records(Run.load(run), 5)]
    assert first != [f"s{row}" for row in range(5)], "they are drawn at random"
    (tmp_path / "labels.csv").write_text("id,label\ns17,yes\ns3,no\n")
    api.add_labels(run, tmp_path / "labels.csv")
    assert {record.sample.id for record in select_records(Run.load(run), 5)[:2]} == {"s17", "s3"}


@pytest.mark.parametrize(
    ("model", "family"),
    [
        ("gpt-4o-mini", "GPT"),
        ("o3", "GPT"),
        ("anthropic/claude-3", "Claude"),
        ("gemma-2-9b", "Gemini"),
        ("Qwen/Qwen2-Audio-7B-Instruct", "Qwen"),
        ("meta-llama/Llama-3.1-8B", "Llama"),
        ("mistralai/Voxtral-Mini", "Mistral"),
        ("moonshotai/Kimi-Audio", "Kimi"),
        ("mine.py:Model", ""),
        ("phonetics", ""),
    ],
)
def test_a_family_is_read_from_the_name_of_a_model(model: str, family: str) -> None:
    assert find_family(model) == family


def test_the_judged_metric_is_chosen_by_name() -> None:
    metrics = [METRICS.get(name) for name in ("wer", "judge-reference", "judge-1-5")]
    assert choose_metric(metrics, None).name == "judge-reference"
    assert choose_metric(metrics, "judge-1-5").name == "judge-1-5"
    with pytest.raises(SpecError, match=r"no judged metric 'wer'\. Judged metrics: judge-reference, judge-1-5"):
        choose_metric(metrics, "wer")
    with pytest.raises(SpecError, match="has no metric that uses a judge"):
        choose_metric(metrics[:1], None)


def test_the_table_names_judges_only_if_there_are_several() -> None:
    one = CheckResult(check="position", measure="m", judge="a", value=0.75, low=0.6, high=0.9, n=50, unit="share",
                      neutral=0.5)  # fmt: skip
    other = CheckResult(check="agreement", measure="m", judge="b", note="no labels")
    lines = format_checks(JudgeChecks("metric", (one,)))
    assert not lines[0].startswith("judge")
    assert lines[2].split() == ["position", "m", "75.00", "%", "60.00", "%", "…", "90.00", "%", "50", "biased"]
    assert format_checks(JudgeChecks("metric", (one, other)))[0].startswith("judge")


def test_a_run_without_a_judge_is_refused(manifest: Any, tmp_path: Path) -> None:
    data = manifest([{"id": "1", "question": "x", "answer": "x"}])
    api.evaluate(Spec(task="qa", task_args={"data": str(data)}, model="echo"), tmp_path / "run")
    with pytest.raises(SpecError, match=r"was not judged yet. Add --judge MODEL"):
        check_judges([tmp_path / "run"])
