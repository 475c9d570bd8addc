"""Judging end to end: storing, resuming and replacing verdicts."""

import asyncio
import json
from collections import Counter
from collections.abc import Iterable
from dataclasses import replace
from itertools import count
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from auricle import Settings, Spec, api
from auricle.core.errors import (
    AllRequestsFailed,
    ExitStatus,
    MissingExtra,
    NothingToJudge,
    Rejected,
    SampleError,
    SpecError,
    Transient,
    Unsupported,
)
from auricle.core.types import Generate, Generation, Record, Sample, Turn
from auricle.engine.catalogue import TASKS
from auricle.engine.config import RunConfig
from auricle.engine.factory import build_task
from auricle.engine.judge import JudgePass, PendingRequests, check_reply, resolve_judge_model
from auricle.engine.observer import Observer
from auricle.engine.spec import JudgeSpec
from auricle.engine.task import Task
from auricle.media import Audio
from auricle.metrics.base import Metric, mean
from auricle.metrics.catalogue import METRICS
from auricle.models.base import AsyncModel
from auricle.models.catalogue import MODELS
from auricle.models.listing import ModelListing
from auricle.runs.run_directory import Run
from auricle.runs.scores import read_scores
from auricle.runs.verdicts import JudgeRequest, Verdict
from auricle.tasks.questions.kinds import qa
from auricle.tasks.speech.roles import RECOGNISER
from auricle.testing.models import FakeApi

JUDGES = '''
from pathlib import Path
from auricle import AsyncModel, BatchModel, Generation, SampleError

class Counting(AsyncModel):
    """Accepts `right`, logs every call to a file, and may fail or give an unclear reply."""

    def __init__(self, log, fail="", unclear="", api_key="", strict=False):
        self.log, self.fail, self.unclear, self.strict = Path(log), fail, unclear, strict

    async def generate(self, request):
        text = request.turns[0].parts[0]
        answer = text.partition("<answer>\\n")[2].partition("\\n</answer>")[0]
        with self.log.open("a") as log:
            log.write(f"{answer}\\n")
        if self.fail and self.fail in answer:
            raise SampleError("the judge fails on purpose")
        if self.unclear and self.unclear in answer:
            return Generation(text="Hard to say. Notice that it is close.")
        good = answer == "right" and not self.strict
        verdict = f"Score: {5 if good else 2}" if "Score: N" in text else (
            "Verdict: yes" if good else "Verdict: no")
        return Generation(text=f"Because of {answer}.\\n{verdict}", tokens=7, input_tokens=90)

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

    class Judges:
        def __call__(self, name: str = "Counting", **args: Any) -> JudgeSpec:
            return JudgeSpec(model=f"{tmp_path / 'judges.py'}:{name}", args={"log": str(log), **args})

        def calls(self) -> list[str]:
            return log.read_text().splitlines() if log.exists() else []

    return Judges()


@pytest.fixture
def data(manifest: Any) -> Any:
    questions = ["right", "wrong a", "right", "wrong b", "odd"]
    rows = [
        {"id": f"s{index}", "question": question, "answer": "right", "place": index}
        for index, question in enumerate(questions)
    ]
    return manifest(rows)


def spec(
    data: Path, judge: JudgeSpec | tuple[JudgeSpec, ...] | None = None, kind: str = "qa", **task_args: Any
) -> Spec:
    arguments = {"data": str(data), "metrics": "judge-reference", **task_args}
    return Spec(task=kind, model="echo", task_args=arguments, judge=judge)


def answers_of(path: Path) -> tuple[Iterable[Record], Path]:
    run = Run.load(path)
    return run.records(), run.verdicts_path


def read_metrics(run: Path) -> Any:
    return json.loads((run / "metrics.json").read_text())


def number(run: Path, name: str = "judge-reference") -> Any:
    return next(entry for entry in read_metrics(run)["numbers"] if entry["metric"] == name and not entry["field"])


def read_verdicts(run: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in (run / "verdicts.jsonl").read_text().splitlines()]


def test_answers_are_judged_and_the_signature_names_the_judge(data: Path, judge: Any, tmp_path: Path) -> None:
    run = tmp_path / "run"
    (result,) = api.evaluate(spec(data, judge()), run)
    assert result.value == pytest.approx(2 / 5)
    assert result.interval == "mid-p"
    assert ".by-judges.py:Counting#" in str(result.signature)
    assert Counter(judge.calls()) == {"right": 1, "wrong a": 1, "wrong b": 1, "odd": 1}
    counts = read_metrics(run)["judges"][0]
    assert (counts["verdicts"], counts["tokens"], counts["input_tokens"]) == (4, 28, 360)
    assert (counts["failed"], counts["missing"]) == (0, 0)


def test_verdict_line_names_sample_metric_and_judge(data: Path, judge: Any, tmp_path: Path) -> None:
    api.evaluate(spec(data, judge()), tmp_path / "run")
    judge_line, first, *_ = read_verdicts(tmp_path / "run")
    assert [entry["model"].endswith("judges.py:Counting") for entry in judge_line["judges"]] == [True]
    assert set(first) == {
        "key", "id", "metric", "judge", "text", "tokens", "input_tokens", "seconds", "crc",
    }  # fmt: skip


def test_scoring_again_loads_no_judge(data: Path, judge: Any, tmp_path: Path) -> None:
    run = tmp_path / "run"
    api.evaluate(spec(data, judge()), run)
    before, calls = number(run), judge.calls()
    (tmp_path / "judges.py").unlink()
    api.score(run)
    assert number(run) == before
    assert judge.calls() == calls


def test_same_judge_sends_no_request_twice(data: Path, judge: Any, tmp_path: Path) -> None:
    run = tmp_path / "run"
    api.evaluate(spec(data, judge()), run)
    calls, verdicts = judge.calls(), read_verdicts(run)
    api.score(run, judge=judge())
    api.evaluate(spec(data, judge()), run)
    assert judge.calls() == calls
    assert read_verdicts(run) == verdicts


def test_verdicts_of_two_judges_are_both_kept(data: Path, judge: Any, tmp_path: Path) -> None:
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


def test_api_key_is_not_stored_and_does_not_identify_the_judge(data: Path, judge: Any, tmp_path: Path) -> None:
    run = tmp_path / "run"
    api.evaluate(spec(data, judge(api_key="sk-4711")), run)
    calls = judge.calls()
    api.score(run, judge=judge())
    assert judge.calls() == calls
    assert not any("sk-4711" in path.read_text() for path in run.iterdir() if path.is_file())


def test_judge_does_not_change_the_identity_of_the_run(data: Path, judge: Any, tmp_path: Path) -> None:
    run = tmp_path / "run"
    api.evaluate(spec(data), run)
    api.evaluate(spec(data, judge()), run)
    assert number(run)["scored"] == 5
    assert (run / "outputs.jsonl").read_bytes().count(b"\n") == 5


def test_run_without_a_judge_completes_and_names_the_missing_judge(data: Path, tmp_path: Path) -> None:
    assert api.evaluate(spec(data, metrics="judge-reference,empty"), tmp_path / "run")
    refused = read_metrics(tmp_path / "run")["not_computed"]
    assert list(refused) == ["judge-reference"]
    assert "auricle score RUN --judge MODEL" in refused["judge-reference"]


def test_unreadable_verdict_is_not_scored(data: Path, judge: Any, tmp_path: Path) -> None:
    run = tmp_path / "run"
    api.evaluate(spec(data, judge(unclear="wrong")), run)
    assert number(run)["scored"] == 3
    assert number(run)["unreadable"] == 2
    assert number(run)["value"] == pytest.approx(2 / 3)
    (reason,) = read_metrics(run)["unreadable"]["judge-reference"]
    assert "Verdict" in reason
    api.score(run, judge=judge(unclear="wrong"))
    assert len(judge.calls()) == 4, "an unreadable verdict is a verdict"


def test_failed_verdict_is_not_scored_and_is_requested_again(data: Path, judge: Any, tmp_path: Path) -> None:
    run = tmp_path / "run"
    failing_judge = judge(fail="odd")
    api.evaluate(spec(data, failing_judge), run, settings=Settings(max_attempts=1))
    assert number(run)["scored"] == 4
    assert read_metrics(run)["judges"][0]["failed"] == 1
    (reason,) = read_metrics(run)["unreadable"]["judge-reference"]
    assert "the judge failed: SampleError: the judge fails on purpose" in reason
    api.score(run, judge=failing_judge)
    assert Counter(judge.calls())["odd"] == 2
    assert Counter(judge.calls())["right"] == 1


def test_failed_samples_are_not_judged(manifest: Any, judge: Any, tmp_path: Path) -> None:
    data = manifest([{"id": "a", "question": "right", "answer": "right"}, "{"])
    api.evaluate(spec(data, judge()), tmp_path / "run")
    assert judge.calls() == ["right"]


def test_damaged_lines_lose_only_their_own_verdicts(data: Path, judge: Any, tmp_path: Path) -> None:
    run = tmp_path / "run"
    api.evaluate(spec(data, judge()), run)
    before, calls = number(run), Counter(judge.calls())
    judge_line, first, *rest = (run / "verdicts.jsonl").read_bytes().splitlines(keepends=True)
    partial = rest[-1][:20]
    (run / "verdicts.jsonl").write_bytes(b"".join([judge_line, b"{" + first, *rest[:-1], partial]))
    api.score(run)
    assert read_metrics(run)["judges"][0]["missing"] == 2
    api.score(run, judge=judge())
    assert number(run) == before
    assert len(judge.calls()) == calls.total() + 2


def test_batch_model_judges_in_batches(data: Path, judge: Any, tmp_path: Path) -> None:
    api.evaluate(spec(data, judge("Batched")), tmp_path / "run")
    assert judge.calls() == ["4"]
    assert number(tmp_path / "run")["value"] == 1.0


def test_each_metric_has_its_own_rubric(data: Path, judge: Any, tmp_path: Path) -> None:
    api.evaluate(spec(data, judge()), tmp_path / "one")
    api.evaluate(spec(data, judge(), kind="open", metrics="judge-1-5"), tmp_path / "two")
    assert number(tmp_path / "one")["unit"] == "share"
    assert number(tmp_path / "two", "judge-1-5")["value"] == pytest.approx((5 + 2 + 5 + 2 + 2) / 5)


def test_votes_are_separate_requests(data: Path, judge: Any, tmp_path: Path) -> None:
    run = tmp_path / "run"
    api.evaluate(spec(data, judge(), votes=3), run)
    assert Counter(judge.calls()) == {"right": 3, "wrong a": 3, "wrong b": 3, "odd": 3}
    api.score(run, judge=judge())
    assert len(judge.calls()) == 12


def test_custom_rubric_adds_a_metric(data: Path, judge: Any, tmp_path: Path) -> None:
    rubric = tmp_path / "short.yaml"
    rubric.write_text(
        "name: short\nkind: scale\nlow: 1\nhigh: 5\ntemplate: |\n  <answer>\n  {answer}\n  </answer>\n  Score: N\n"
    )
    run = tmp_path / "run"
    numbers = api.evaluate(spec(data, judge(), rubric=str(rubric)), run)
    assert [result.metric for result in numbers] == ["judge-reference", "short"]
    api.evaluate(spec(data, judge()), run)  # without the rubric it is the same run
    assert [entry["metric"] for entry in read_metrics(run)["numbers"] if not entry["field"]] == ["judge-reference"]


def test_agreement_with_human_labels_is_reported(manifest: Any, judge: Any, tmp_path: Path) -> None:
    rows = [
        {"id": str(index), "question": question, "answer": "right", "gold": gold}
        for index, (question, gold) in enumerate(
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
    assert read_metrics(run)["not_computed"] == {
        "judge-reference.corrected": "4 human labels are too few to correct the judge; label at least 20 random samples"
    }
    assert read_metrics(run)["judges"][0]["verdicts"] == 3, "kappa reads the same verdicts"


def test_verdicts_are_shown_with_the_samples(data: Path, judge: Any, tmp_path: Path, auricle: Any) -> None:
    run = tmp_path / "run"
    api.evaluate(spec(data, judge()), run)
    assert "Because of wrong a. Verdict: no" in (run / "report.html").read_text()
    listed = auricle("samples", run, "--worst", 1).stdout
    assert "judge     Because of wrong a. Verdict: no" in listed


def test_judge_without_text_generation_is_rejected_before_the_run(data: Path, tmp_path: Path) -> None:
    with pytest.raises(Unsupported, match="'fake-labels' cannot be used as a judge"):
        api.evaluate(spec(data, JudgeSpec(model="fake-labels")), tmp_path / "run")
    assert not (tmp_path / "run").exists()


def test_a_model_without_ears_is_no_recogniser(register: Any) -> None:
    class Synthesiser(AsyncModel):
        modalities = ("text",)

        async def generate(self, request: Generate) -> Generation:
            raise NotImplementedError

    register(MODELS, "synthesiser", Synthesiser)
    with pytest.raises(Unsupported, match="'synthesiser' cannot be used as a recogniser: it does not accept audio"):
        resolve_judge_model(JudgeSpec(model="synthesiser", role=RECOGNISER))
    assert resolve_judge_model(JudgeSpec(model="synthesiser"))


def test_speech_is_no_reply() -> None:
    request = Generate(turns=(Turn("user", ("Which number?",)),))
    spoken = Audio.of(np.zeros(10, np.float32), rate=8000)
    with pytest.raises(SampleError, match="the model returned audio instead of text"):
        check_reply(request, Generation(text="", audio=spoken))
    assert check_reply(request, Generation(text="Verdict: yes", audio=spoken))


def test_judge_is_rejected_if_no_metric_uses_one(data: Path, judge: Any, tmp_path: Path) -> None:
    api.evaluate(spec(data, metrics="empty"), tmp_path / "run")
    with pytest.raises(SpecError, match="has no metric that uses a judge; its metrics are empty"):
        api.score(tmp_path / "run", judge=judge())
    result = api.score(tmp_path / "run", task_args={"metrics": "judge-reference"}, judge=judge())
    assert result["judge-reference"].scored == 5


def test_a_judge_without_use_is_rejected_before_anything_is_sent(data: Path, judge: Any, tmp_path: Path) -> None:
    unused = spec(data, metrics="empty").model_copy(update={"judge": judge()})
    with pytest.raises(NothingToJudge, match="has no metric that uses a judge; its metrics are empty"):
        api.evaluate(unused, tmp_path / "run")
    assert not (tmp_path / "run").exists()


def test_open_questions_have_a_rubric_by_default(data: Path, judge: Any, tmp_path: Path) -> None:
    judged = Spec(task="open", task_args={"data": str(data)}, model="echo", judge=judge())
    assert {"empty", "judge-1-5"} <= {metric.name for metric in build_task(judged).metrics}
    chosen = judged.model_copy(update={"task_args": {"data": str(data), "metrics": "judge-1-10"}})
    assert [metric.name for metric in build_task(chosen).metrics] == ["judge-1-10"]


def test_one_of_several_tasks_has_to_use_a_judge(data: Path, judge: Any, tmp_path: Path) -> None:
    (tmp_path / "judged.yaml").write_text(f"kind: qa\ndata: {data}\nmetrics: [judge-reference]\n")
    (tmp_path / "plain.yaml").write_text(f"kind: qa\ndata: {data}\nmetrics: [empty]\n")
    tasks = [str(tmp_path / "judged.yaml"), str(tmp_path / "plain.yaml")]
    fields = {"model": "echo", "judge": judge().model_dump()}
    first, second = RunConfig.from_fields({"task": tasks, **fields}, "test").prepare()
    assert (len(first.spec.judges), len(second.spec.judges)) == (1, 0)
    with pytest.raises(NothingToJudge, match="has no metric that uses a judge"):
        RunConfig.from_fields({"task": tasks[1:], **fields}, "test").prepare()


def test_metrics_for_a_judge_are_computed_only_with_one(data: Path, judge: Any, tmp_path: Path, register: Any) -> None:
    def make_task(**arguments: Any) -> Task:
        task = build_task(spec(data, metrics="empty"))
        return replace(task, judged_metrics=[METRICS.get("judge-reference")])

    register(TASKS, "with-optional-judge", make_task)
    unjudged = api.evaluate(Spec(task="with-optional-judge", model="echo"), tmp_path / "run")
    assert [number.metric for number in unjudged] == ["empty"]
    assert unjudged.exit_status == ExitStatus.OK
    for scored in (api.score(tmp_path / "run", judge=judge()), api.score(tmp_path / "run")):
        assert {"empty", "judge-reference"} <= {number.metric for number in scored}
    judged = api.evaluate(Spec(task="with-optional-judge", model="echo", judge=judge()), tmp_path / "judged")
    assert judged["judge-reference"].scored == 5


@pytest.fixture
def register(monkeypatch: pytest.MonkeyPatch) -> Any:
    """Return a function that registers a task or a model until the test ends."""
    return lambda registry, name, value: monkeypatch.setitem(registry._registered, name, value)


def test_custom_metric_can_use_a_judge(data: Path, tmp_path: Path, register: Any) -> None:
    custom = Metric(
        "custom",
        lambda sample, *outputs, verdicts: float(len(verdicts[0])),
        mean,
        judge_requests=lambda sample, output: (Generate(turns=(Turn("user", (output.text,)),)),),
    )
    broken = Metric("broken", custom.score, mean, judge_requests=lambda sample, output: sample.nothing)
    task = replace(qa(data=str(data)), metrics=[broken, custom])
    register(TASKS, "mine", lambda: task)
    run = tmp_path / "run"
    api.evaluate(Spec(task="mine", model="echo", judge=JudgeSpec(model="echo")), run)
    assert number(run, "custom")["value"] == pytest.approx((5 + 7 + 5 + 7 + 3) / 5)
    assert "AttributeError" in read_metrics(run)["not_computed"]["broken"]


def test_prompts_are_rendered_once_for_judging_and_once_for_scoring(data: Path, tmp_path: Path, register: Any) -> None:
    rendered: Counter[str] = Counter()

    def render(sample: Sample, output: Generation) -> tuple[Generate, ...]:
        rendered[sample.id] += 1
        return (Generate(turns=(Turn("user", (output.text,)),)),) * 2

    metric = Metric("counted", lambda sample, *outputs, verdicts: float(len(verdicts)), mean, judge_requests=render)
    register(TASKS, "mine", lambda: replace(qa(data=str(data)), metrics=[metric]))
    judged = Spec(task="mine", model="echo", judge=JudgeSpec(model="echo"))
    api.evaluate(judged, tmp_path / "run")
    assert rendered == dict.fromkeys(["s0", "s1", "s2", "s3", "s4"], 2)
    rendered.clear()
    api.score(tmp_path / "run")
    assert rendered == dict.fromkeys(["s0", "s1", "s2", "s3", "s4"], 1)


def test_pending_requests_are_unchanged_by_being_stored(tmp_path: Path, tone: Any, monkeypatch: Any) -> None:
    monkeypatch.setattr("auricle.engine.judge.MAX_REQUEST_BYTES", 100)  # so that they are on disk
    clip = Audio(str(tone("a.wav")), end=0.5)
    turns = (Turn("system", ("Judge.",)), Turn("user", (clip, "Is \u00fc right?", Audio(data=b"RIFF"))))
    stored = [
        JudgeRequest(f"key {index}", f"id {index}", "metric", Generate(turns=turns, stop=("\n",), answer_index=index))
        for index in range(3)
    ]
    pending = PendingRequests()
    for request in stored:
        pending.append(request)
    assert pending.count == 3
    assert list(pending.read()) == stored
    read_clip = next(pending.read()).request.parts[-1]
    assert isinstance(read_clip, Audio)
    assert read_clip.data == b"RIFF"


class RejectsEverything(AsyncModel):
    async def generate(self, request: Generate) -> Generation:
        raise Rejected("401 from nowhere: wrong key")


def test_rejecting_judge_aborts_early_and_other_metrics_are_scored(
    manifest: Any, tmp_path: Path, register: Any
) -> None:
    register(MODELS, "closed", RejectsEverything)
    rows = [{"id": str(index), "question": f"q{index}", "answer": "x"} for index in range(50)]
    judged = spec(manifest(rows), JudgeSpec(model="closed"), metrics="empty,judge-reference")
    with pytest.raises(AllRequestsFailed, match="wrong key"):
        api.evaluate(judged, tmp_path / "run")
    assert number(tmp_path / "run", "empty")["scored"] == 50


class Slow(AsyncModel):
    def __init__(self) -> None:
        self.started = asyncio.Event()

    async def generate(self, request: Generate) -> Generation:
        self.started.set()
        await asyncio.sleep(0.05)
        return Generation(text="Verdict: yes")


def test_stop_lets_verdicts_in_flight_finish(data: Path, tmp_path: Path) -> None:
    api.evaluate(spec(data), tmp_path / "run")
    metrics = qa(data=str(data), metrics="judge-reference").metrics
    judge_pass = JudgePass(*answers_of(tmp_path / "run"), metrics, JudgeSpec(model="slow").to_judge())

    async def main() -> None:
        stop, model = asyncio.Event(), Slow()
        task = asyncio.create_task(judge_pass.run(model, Settings(concurrency=2), Observer(), stop))
        await model.started.wait()
        stop.set()
        await task

    asyncio.run(main())
    assert len(read_verdicts(tmp_path / "run")) == 2


class UsedUp(AsyncModel):
    async def generate(self, request: Generate) -> Generation:
        raise Transient("HTTP 429 from host: quota used up", 7200.0)


@pytest.mark.parametrize(("model", "reason"), [(UsedUp(), "the quota of the server is used up"), (FakeApi(), "")])
def test_pass_returns_why_the_server_ended_it(data: Path, tmp_path: Path, model: AsyncModel, reason: str) -> None:
    api.evaluate(spec(data), tmp_path / "run")
    metrics = qa(data=str(data), metrics="judge-reference").metrics
    judge_pass = JudgePass(*answers_of(tmp_path / "run"), metrics, JudgeSpec(model="some").to_judge())
    assert judge_pass.count_pending() == 4
    result = asyncio.run(judge_pass.run(model, Settings(concurrency=1), Observer(), asyncio.Event()))
    assert result.startswith(reason)
    assert bool(result) is bool(reason)


def test_verdict_whose_writing_was_interrupted_is_requested_again(data: Path, judge: Any, tmp_path: Path) -> None:
    run = tmp_path / "run"
    api.evaluate(spec(data, judge()), run)
    content = (run / "verdicts.jsonl").read_bytes()
    (run / "verdicts.jsonl").write_bytes(content[:-10])
    assert api.score(run, judge=judge()).exit_status is ExitStatus.OK
    assert len(judge.calls()) == 4 + 1
    assert len(read_verdicts(run)) == 1 + 4


def test_verdict_has_its_seconds_and_is_reported(data: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    reported: list[Verdict] = []

    class Collects(Observer):
        def on_verdict(self, verdict: Verdict, /) -> None:
            reported.append(verdict)

    api.evaluate(spec(data), tmp_path / "run")
    metrics = qa(data=str(data), metrics="judge-reference").metrics
    judge_pass = JudgePass(*answers_of(tmp_path / "run"), metrics, JudgeSpec(model="some").to_judge())
    clock = count(10.0, 1.234_56)
    monkeypatch.setattr("time.perf_counter", lambda: next(clock))
    asyncio.run(judge_pass.run(FakeApi(), Settings(concurrency=1), Collects(), asyncio.Event()))
    stored = read_verdicts(tmp_path / "run")
    assert [verdict["seconds"] for verdict in stored] == [verdict.seconds for verdict in reported] == [1.2346] * 4


# --- the command line ---------------------------------------------------------------------


@pytest.mark.slow
def test_command_line_exit_codes_depend_on_the_verdicts(data: Path, judge: Any, tmp_path: Path, auricle: Any) -> None:
    failing = judge(fail="odd")
    command = ["run", data, "--as", "qa", "-m", "echo", "-o", "run", "-T", "metrics=judge-reference"]
    judge_options = ["--judge", failing.model, "-J", f"log={failing.args['log']}"]
    done = auricle(*command)
    assert done.returncode == 3
    assert "auricle score RUN --judge MODEL" in done.stdout
    done = auricle(*command, *judge_options, "-J", "fail=odd")
    assert done.returncode == 3
    assert "0 verdicts are missing, 1 failed." in done.stderr
    assert "judging: 4" in done.stderr
    done = auricle("score", "run", *judge_options)
    assert done.returncode == 0, done.stderr
    assert "40.00 %" in done.stdout
    assert auricle("score", "run").returncode == 0
    assert auricle("score", "run", "-J", "a=1").returncode == 2


def test_config_file_may_name_the_judge(data: Path, judge: Any, tmp_path: Path, auricle: Any) -> None:
    chosen = judge()
    config = tmp_path / "run.yaml"
    config.write_text(
        f"task: qa\nmodel: echo\ntask_args: {{data: {data}, metrics: [judge-reference]}}\n"
        f"judge: {{model: '{chosen.model}', args: {{log: '{chosen.args['log']}'}}}}\n"
    )
    done = auricle("run", "--config", config, "-o", "run", "-J", "strict=true")
    assert done.returncode == 0, done.stderr
    assert number(tmp_path / "run")["value"] == 0.0


def test_damaged_verdict_is_named_and_requested_again(data: Path, judge: Any, tmp_path: Path) -> None:
    run = tmp_path / "run"
    api.evaluate(spec(data, judge()), run)
    calls = len(judge.calls())
    lines = (run / "verdicts.jsonl").read_bytes().splitlines(keepends=True)
    (run / "verdicts.jsonl").write_bytes(lines[0] + lines[1].replace(b"Because", b"because") + b"".join(lines[2:]))
    result = api.score(run)
    assert result.exit_status is ExitStatus.FAILURES
    assert result.metrics
    assert [(line.file, line.line) for line in result.metrics.journal.damaged] == [("verdicts.jsonl", 2)]
    assert result.metrics.judges
    assert result.metrics.missing_verdicts == 1
    assert api.score(run, judge=judge()).exit_status is ExitStatus.OK
    assert len(judge.calls()) == calls + 1
    assert len((run / "verdicts.damaged.jsonl").read_bytes().splitlines()) == 1


# --- several judges -------------------------------------------------------------------------


def test_each_judge_has_a_number_beside_the_combined_one_and_their_agreement(
    data: Path, judge: Any, tmp_path: Path
) -> None:
    run = tmp_path / "run"
    kind, strict = judge(), judge(strict=True)
    result = api.evaluate(spec(data, (kind, strict)), run)
    names = [entry.metric for entry in result]
    own = [f"judge-reference.by-{each.to_judge().name}" for each in (kind, strict)]
    assert names == ["judge-reference", "judge-reference.alpha", *own]
    assert [entry.value for entry in result] == [pytest.approx(1 / 5), pytest.approx(-0.125), 2 / 5, 0.0]
    assert str(result["judge-reference"].signature.metric.judge) == "+".join(
        each.to_judge().name for each in (kind, strict)
    )
    assert [facts["verdicts"] for facts in read_metrics(run)["judges"]] == [4, 4]
    calls = judge.calls()
    api.score(run)
    assert [entry.metric for entry in api.summary(run, by="")] == names, "both judges are stored"
    api.score(run, judge=[kind, strict])
    assert judge.calls() == calls
    api.score(run, judge=strict)
    assert number(run)["value"] == 0.0, "one judge is enough again"


def test_a_sample_that_one_judge_could_not_judge_has_no_combined_score(data: Path, judge: Any, tmp_path: Path) -> None:
    run = tmp_path / "run"
    api.evaluate(spec(data, (judge(), judge(unclear="odd"), judge(strict=True))), run)
    assert (number(run)["scored"], number(run)["unreadable"]) == (4, 1)
    (reason,) = read_metrics(run)["unreadable"]["judge-reference"]
    assert reason == "1 of 3 judges gave no readable verdict"
    assert number(run, "judge-reference.alpha")["scored"] == 5, "two verdicts can be compared"


# --- human labels ---------------------------------------------------------------------------


def test_labels_correct_a_judge_that_is_too_kind(manifest: Any, judge: Any, tmp_path: Path) -> None:
    rows = [
        {"id": f"s{row}", "question": "right" if row % 10 < 8 else "wrong", "answer": "right"} for row in range(200)
    ]
    run = tmp_path / "run"
    api.evaluate(spec(manifest(rows), judge()), run)
    labels = tmp_path / "labels.csv"
    # People accept three quarters of what the judge accepts.
    lines = [f"s{row},{'yes' if row % 10 < 8 and row % 4 else 'no'}" for row in range(80)]
    labels.write_text("\n".join(["id,label", *lines]))
    assert api.add_labels(run, labels) == 80
    raw, corrected = api.load_metrics(run)["judge-reference"], api.load_metrics(run)["judge-reference.corrected"]
    assert raw.value == 0.8
    assert corrected.value is not None
    assert corrected.low is not None
    assert corrected.high is not None
    assert corrected.low < 0.6 < corrected.high < 0.8
    assert corrected.interval == "prediction-powered"
    assert (corrected.details["human_labels"], corrected.details["judged"]) == (80, 0.8)
    assert "assumes that they are a random part of the samples" in " ".join(read_metrics(run)["notes"])
    assert number(run, "judge-reference.kappa")["scored"] == 80
    report = (run / "report.html").read_text()
    assert "judge-reference, corrected" in report


def test_labels_of_other_samples_are_refused(data: Path, judge: Any, tmp_path: Path) -> None:
    api.evaluate(spec(data, judge()), tmp_path / "run")
    (tmp_path / "labels.csv").write_text("id,label\nx1,yes\n")
    with pytest.raises(SpecError, match=r"None of the 1 ids in .*labels\.csv, such as 'x1', is a sample of"):
        api.add_labels(tmp_path / "run", tmp_path / "labels.csv")


def test_samples_without_labels_have_no_statistics_for_a_correction(data: Path, judge: Any, tmp_path: Path) -> None:
    run = tmp_path / "run"
    api.evaluate(spec(data, judge()), run)
    assert all(list(line.stats) == ["judge-reference"] for line in read_scores(run))
    (tmp_path / "labels.csv").write_text("id,label\ns0,yes\n")
    api.add_labels(run, tmp_path / "labels.csv")
    api.load_metrics(run)
    assert all("judge-reference.corrected" in line.stats for line in read_scores(run))


def test_a_missing_package_of_a_judge_is_found_before_the_first_request(tmp_path: Path) -> None:
    class Heavy(FakeApi):
        listing = ModelListing(extra="heavy", packages=("no_such_package",))

    spec = Spec(
        task="qa",
        task_args={"data": str(tmp_path / "data.jsonl"), "metrics": "judge-reference"},
        model="echo",
        judge=JudgeSpec(model=MODELS.add_object(Heavy)),
    )
    (tmp_path / "data.jsonl").write_text(json.dumps({"question": "Who?", "answer": "Ann"}) + "\n")
    with pytest.raises(MissingExtra, match=r"The judge '.*' needs an optional package: pip install 'auricle\[heavy\]'"):
        api.evaluate(spec, tmp_path / "run")
    assert not (tmp_path / "run").exists()
