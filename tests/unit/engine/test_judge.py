"""Judging end to end: kept, resumed, judged again by another, and never a zero by accident."""

import asyncio
import json
from collections import Counter
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from auricle import Settings, Spec, api
from auricle.core.errors import AllRequestsFailed, Refused, SpecError, Unsupported
from auricle.core.types import Generate, Generation, Turn
from auricle.engine import judge as judging
from auricle.engine.spec import JudgeSpec
from auricle.metrics.base import Metric, mean
from auricle.models.base import AsyncModel
from auricle.models.catalogue import MODELS
from auricle.runs.run_directory import Run
from auricle.tasks.catalogue import TASKS
from auricle.tasks.kinds import qa

JUDGES = '''
from pathlib import Path
from auricle import AsyncModel, BatchModel, Generation, SampleError

class Counting(AsyncModel):
    """Says yes to `right`, notes every call in a file, and may fail or mumble."""

    def __init__(self, log, fail="", mumble="", api_key="", strict=False):
        self.log, self.fail, self.mumble, self.strict = Path(log), fail, mumble, strict

    async def generate(self, request):
        text = request.turns[0].parts[0]
        answer = text.partition("<answer>\\n")[2].partition("\\n</answer>")[0]
        with self.log.open("a") as log:
            log.write(f"{answer}\\n")
        if self.fail and self.fail in answer:
            raise SampleError("the judge was told to fail")
        if self.mumble and self.mumble in answer:
            return Generation(text="Hard to say. Notice that it is close.")
        good = answer == "right" and not self.strict
        said = f"Score: {5 if good else 2}" if "Score: N" in text else (
            "Verdict: yes" if good else "Verdict: no")
        return Generation(text=f"Because of {answer}.\\n{said}", tokens=7, input_tokens=90)

class Batched(BatchModel):
    batch_size = 4
    def __init__(self, log):
        self.log = Path(log)
    def generate(self, batch):
        with self.log.open("a") as log:
            log.write(f"{len(batch)}\\n")
        return [Generation(text="Verdict: yes") for _ in batch]
'''


@pytest.fixture
def judge(tmp_path: Path) -> Any:
    (tmp_path / "judges.py").write_text(JUDGES)
    log = tmp_path / "calls.log"

    def named(kind: str = "Counting", **args: Any) -> Any:
        place = f"{tmp_path / 'judges.py'}:{kind}"
        return JudgeSpec(model=place, args={"log": str(log), **args})

    named.calls = lambda: log.read_text().splitlines() if log.exists() else []
    return named


@pytest.fixture
def data(manifest: Any) -> Any:
    said = ["right", "wrong a", "right", "wrong b", "odd"]
    rows = [{"id": f"s{at}", "question": each, "answer": "right", "place": at} for at, each in enumerate(said)]
    return manifest(rows)


def spec(data: Any, judge: Any = None, kind: str = "qa", **task_args: Any) -> Any:
    given = {"metrics": "judge-reference", **task_args}
    return Spec(task=kind, model="echo", task_args={"data": str(data), **given}, judge=judge)


def told(run: Any) -> Any:
    return json.loads((run / "metrics.json").read_text())


def number(run: Any, name: str = "judge-reference") -> Any:
    return next(n for n in told(run)["numbers"] if n["metric"] == name and not n["field"])


def lines(run: Any) -> Any:
    return [json.loads(line) for line in (run / "verdicts.jsonl").read_text().splitlines()]


def test_answers_are_judged_and_the_judge_is_signed(data: Any, judge: Any, tmp_path: Path) -> None:
    run = tmp_path / "run"
    (found,) = api.evaluate(spec(data, judge()), run)
    assert found.value == pytest.approx(2 / 5)
    assert found.interval == "wilson"
    assert ".by-judges.py:Counting#" in found.signature
    assert Counter(judge.calls()) == {"right": 1, "wrong a": 1, "wrong b": 1, "odd": 1}
    about = told(run)["judge"]
    assert (about["verdicts"], about["tokens"], about["input_tokens"]) == (4, 28, 360)
    assert (about["failed"], about["missing"]) == (0, 0)


def test_a_verdict_line_says_what_was_judged_by_whom(data: Any, judge: Any, tmp_path: Path) -> None:
    api.evaluate(spec(data, judge()), tmp_path / "run")
    who, *said = lines(tmp_path / "run")
    assert who["model"].endswith("judges.py:Counting")
    assert set(said[0]) == {
        "key", "id", "metric", "judge", "text", "tokens", "input_tokens", "seconds",
    }  # fmt: skip


def test_scoring_again_loads_no_judge_and_gives_the_same(data: Any, judge: Any, tmp_path: Path) -> None:
    run = tmp_path / "run"
    api.evaluate(spec(data, judge()), run)
    before, calls = number(run), judge.calls()
    (tmp_path / "judges.py").unlink()
    api.score(run)
    assert number(run) == before
    assert judge.calls() == calls


def test_naming_the_judge_again_asks_nothing_twice(data: Any, judge: Any, tmp_path: Path) -> None:
    run = tmp_path / "run"
    api.evaluate(spec(data, judge()), run)
    calls, kept = judge.calls(), lines(run)
    api.score(run, judge=judge())
    api.evaluate(spec(data, judge()), run)
    assert judge.calls() == calls
    assert lines(run) == kept


def test_another_judge_judges_anew_and_both_are_kept(data: Any, judge: Any, tmp_path: Path) -> None:
    run = tmp_path / "run"
    api.evaluate(spec(data, judge()), run)
    first = number(run)
    api.score(run, judge=judge(strict=True))
    assert number(run)["value"] == 0.0
    assert number(run)["signature"] != first["signature"]
    assert len(judge.calls()) == 8
    api.score(run)
    assert number(run)["value"] == 0.0, "the judge used last"
    api.score(run, judge=judge())
    assert number(run) == first
    assert len(judge.calls()) == 8
    api.score(run)
    assert number(run) == first


def test_a_key_is_not_written_down_and_makes_no_other_judge(data: Any, judge: Any, tmp_path: Path) -> None:
    run = tmp_path / "run"
    api.evaluate(spec(data, judge(api_key="sk-4711")), run)
    calls = judge.calls()
    api.score(run, judge=judge())
    assert judge.calls() == calls
    assert not any("sk-4711" in path.read_text() for path in run.iterdir() if path.is_file())


def test_another_judge_does_not_make_another_run(data: Any, judge: Any, tmp_path: Path) -> None:
    run = tmp_path / "run"
    api.evaluate(spec(data), run)
    api.evaluate(spec(data, judge()), run)
    assert number(run)["scored"] == 5
    assert (run / "outputs.jsonl").read_bytes().count(b"\n") == 5


def test_without_a_judge_the_run_finishes_and_says_what_it_needs(data: Any, tmp_path: Path) -> None:
    assert api.evaluate(spec(data, metrics="judge-reference,empty"), tmp_path / "run")
    refused = told(tmp_path / "run")["refused"]
    assert refused == {"judge-reference": "needs a judge: auricle score RUN --judge MODEL"}


def test_what_the_judge_mumbles_is_unscored_with_its_reason_and_no_zero(data: Any, judge: Any, tmp_path: Path) -> None:
    run = tmp_path / "run"
    api.evaluate(spec(data, judge(mumble="wrong")), run)
    assert number(run)["scored"] == 3
    assert number(run)["unreadable"] == 2
    assert number(run)["value"] == pytest.approx(2 / 3)
    (reason,) = told(run)["unreadable"]["judge-reference"]
    assert "last line is not 'Verdict: …'" in reason
    api.score(run, judge=judge(mumble="wrong"))
    assert len(judge.calls()) == 4, "an unreadable verdict is a verdict"


def test_what_the_judge_fails_on_is_unscored_and_asked_again(data: Any, judge: Any, tmp_path: Path) -> None:
    run = tmp_path / "run"
    judge_that_fails = judge(fail="odd")
    api.evaluate(spec(data, judge_that_fails), run, settings=Settings(max_attempts=1))
    assert number(run)["scored"] == 4
    assert told(run)["judge"]["failed"] == 1
    (reason,) = told(run)["unreadable"]["judge-reference"]
    assert "the judge failed: SampleError: the judge was told to fail" in reason
    api.score(run, judge=judge_that_fails)
    assert Counter(judge.calls())["odd"] == 2
    assert Counter(judge.calls())["right"] == 1


def test_failed_samples_are_not_judged(manifest: Any, judge: Any, tmp_path: Path) -> None:
    data = manifest([{"id": "a", "question": "right", "answer": "right"}, "{"])
    api.evaluate(spec(data, judge()), tmp_path / "run")
    assert judge.calls() == ["right"]


def test_a_torn_line_and_a_damaged_one_cost_their_own_verdict_only(data: Any, judge: Any, tmp_path: Path) -> None:
    run = tmp_path / "run"
    api.evaluate(spec(data, judge()), run)
    before, calls = number(run), Counter(judge.calls())
    who, first, *rest = (run / "verdicts.jsonl").read_bytes().splitlines(keepends=True)
    torn = rest[-1][:20]
    (run / "verdicts.jsonl").write_bytes(b"".join([who, b"{" + first, *rest[:-1], torn]))
    api.score(run)
    assert told(run)["judge"]["missing"] == 2
    api.score(run, judge=judge())
    assert number(run) == before
    assert len(judge.calls()) == calls.total() + 2


def test_a_batch_model_judges_in_batches(data: Any, judge: Any, tmp_path: Path) -> None:
    api.evaluate(spec(data, judge("Batched")), tmp_path / "run")
    assert judge.calls() == ["4"]
    assert number(tmp_path / "run")["value"] == 1.0


def test_each_task_has_its_own_rubric(data: Any, judge: Any, tmp_path: Path) -> None:
    by = judge()
    api.evaluate(spec(data, by), tmp_path / "one")
    api.evaluate(spec(data, by, kind="open", metrics="judge-1-5"), tmp_path / "two")
    assert number(tmp_path / "one")["unit"] == "share"
    assert number(tmp_path / "two", "judge-1-5")["value"] == pytest.approx((5 + 2 + 5 + 2 + 2) / 5)


def test_votes_are_asked_one_by_one(data: Any, judge: Any, tmp_path: Path) -> None:
    run = tmp_path / "run"
    api.evaluate(spec(data, judge(), votes=3), run)
    assert Counter(judge.calls()) == {"right": 3, "wrong a": 3, "wrong b": 3, "odd": 3}
    api.score(run, judge=judge())
    assert len(judge.calls()) == 12


def test_a_rubric_of_ones_own_is_one_more_metric(data: Any, judge: Any, tmp_path: Path) -> None:
    mine = tmp_path / "short.yaml"
    mine.write_text(
        "name: short\nkind: scale\nlow: 1\nhigh: 5\ntemplate: |\n  <answer>\n  {answer}\n  </answer>\n  Score: N\n"
    )
    run = tmp_path / "run"
    numbers = api.evaluate(spec(data, judge(), rubric=str(mine)), run)
    assert [each.metric for each in numbers] == ["judge-reference", "short"]
    api.evaluate(spec(data, judge()), run)  # without the rubric it is the same run
    assert [each["metric"] for each in told(run)["numbers"] if not each["field"]] == ["judge-reference"]


def test_agreement_with_people_stands_beside_where_rows_have_it(manifest: Any, judge: Any, tmp_path: Path) -> None:
    rows = [
        {"id": str(at), "question": said, "answer": "right", "gold": gold}
        for at, (said, gold) in enumerate(
            [("right", "yes"), ("wrong", "no"), ("right", "no"), ("odd", "no"), ("odd", None)]
        )
    ]
    run = tmp_path / "run"
    api.evaluate(spec(manifest(rows), judge()), run)
    kappa = number(run, "judge-reference.kappa")
    assert kappa["value"] == pytest.approx(0.5)
    assert kappa["scored"] == 4
    assert kappa["details"] == {"agreement": 0.75}
    assert "by-judges.py" in kappa["signature"]
    assert not told(run)["refused"]
    assert told(run)["judge"]["verdicts"] == 3, "kappa reads the same verdicts"


def test_what_the_judge_said_is_shown_with_the_samples(data: Any, judge: Any, tmp_path: Path, auricle: Any) -> None:
    run = tmp_path / "run"
    api.evaluate(spec(data, judge()), run)
    assert "Because of wrong a. Verdict: no" in (run / "report.html").read_text()
    listed = auricle("samples", run, "--worst", 1).stdout
    assert "judge     Because of wrong a. Verdict: no" in listed


def test_a_judge_that_cannot_write_is_refused_before_anything_is_asked(data: Any, tmp_path: Path) -> None:
    with pytest.raises(Unsupported, match="has to generate; fake-labels can predict"):
        api.evaluate(spec(data, JudgeSpec(model="fake-labels")), tmp_path / "run")
    assert not (tmp_path / "run").exists()


def test_a_judge_of_nothing_is_refused(data: Any, judge: Any, tmp_path: Path) -> None:
    api.evaluate(spec(data, metrics="empty"), tmp_path / "run")
    with pytest.raises(SpecError, match="asks no judge: its metrics are empty"):
        api.score(tmp_path / "run", judge=judge())


@pytest.fixture
def register(monkeypatch: pytest.MonkeyPatch) -> Any:
    """A name for a task or a model, for as long as a test."""
    return lambda table, name, thing: monkeypatch.setitem(table._registered, name, thing)


def test_a_metric_of_ones_own_may_ask(data: Any, tmp_path: Path, register: Any) -> None:
    own = Metric(
        "own",
        lambda sample, *outputs, verdicts: float(len(verdicts[0])),
        mean,
        judge_requests=lambda sample, output: (Generate(turns=(Turn("user", (output.text,)),)),),
    )
    broken = Metric("broken", own.score, mean, judge_requests=lambda sample, output: sample.nothing)
    mine = replace(qa(data=str(data)), metrics=[own, broken])
    register(TASKS, "mine", lambda: mine)
    run = tmp_path / "run"
    api.evaluate(Spec(task="mine", model="echo", judge=JudgeSpec(model="echo")), run)
    assert number(run, "own")["value"] == pytest.approx((5 + 7 + 5 + 7 + 3) / 5)
    assert "AttributeError" in told(run)["refused"]["broken"]


class Closed(AsyncModel):
    async def generate(self, request: Any) -> None:
        raise Refused("401 from nowhere: wrong key")


def test_a_judge_that_refuses_all_stops_early_and_the_rest_is_scored(
    manifest: Any, tmp_path: Path, register: Any
) -> None:
    register(MODELS, "closed", Closed)
    rows = [{"id": str(at), "question": f"q{at}", "answer": "x"} for at in range(50)]
    wanted = spec(manifest(rows), JudgeSpec(model="closed"), metrics="empty,judge-reference")
    with pytest.raises(AllRequestsFailed, match="wrong key"):
        api.evaluate(wanted, tmp_path / "run")
    assert number(tmp_path / "run", "empty")["scored"] == 50


class Slow(AsyncModel):
    def __init__(self) -> None:
        self.begun = asyncio.Event()

    async def generate(self, request: Any) -> Any:
        self.begun.set()
        await asyncio.sleep(0.05)
        return Generation(text="Verdict: yes")


def test_an_interrupt_lets_verdicts_under_way_finish(data: Any, tmp_path: Path) -> None:
    api.evaluate(spec(data), tmp_path / "run")
    metrics = qa(data=str(data), metrics="judge-reference").metrics
    bench = judging.JudgePass(Run.load(tmp_path / "run"), metrics, JudgeSpec(model="slow").to_judge())

    async def main() -> None:
        stop, model = asyncio.Event(), Slow()
        sitting = bench.run(model, Settings(concurrency=2), judging.NullJudgeObserver(), stop)
        work = asyncio.create_task(sitting)
        await model.begun.wait()
        stop.set()
        await work

    asyncio.run(main())
    assert len(lines(tmp_path / "run")) == 1 + 2


# --- the command line ---------------------------------------------------------------------


def test_the_command_line_judges_and_exits_by_what_became_of_it(
    data: Any, judge: Any, tmp_path: Path, auricle: Any
) -> None:
    by = judge(fail="odd")
    words = ["run", data, "--as", "qa", "-m", "echo", "-o", "run", "-T", "metrics=judge-reference"]
    judged = ["--judge", by.model, "-J", f"log={by.args['log']}"]
    done = auricle(*words)
    assert done.returncode == 3
    assert "needs a judge: auricle score RUN --judge MODEL" in done.stdout
    done = auricle(*words, *judged, "-J", "fail=odd")
    assert done.returncode == 3
    assert "0 verdicts are missing, 1 failed. Ask for them: auricle run" in done.stderr
    assert "judging: 4" in done.stderr
    done = auricle("score", "run", *judged)
    assert done.returncode == 0, done.stderr
    assert "40.00 %" in done.stdout
    assert auricle("score", "run").returncode == 0
    assert auricle("score", "run", "-J", "a=1").returncode == 2


def test_a_judge_may_stand_in_the_file_of_a_run(data: Any, judge: Any, tmp_path: Path, auricle: Any) -> None:
    by = judge()
    config = tmp_path / "run.yaml"
    config.write_text(
        f"task: qa\nmodel: echo\ntask_args: {{data: {data}, metrics: [judge-reference]}}\n"
        f"judge: {{model: '{by.model}', args: {{log: '{by.args['log']}'}}}}\n"
    )
    done = auricle("run", "--config", config, "-o", "run", "-J", "strict=true")
    assert done.returncode == 0, done.stderr
    assert number(tmp_path / "run")["value"] == 0.0
