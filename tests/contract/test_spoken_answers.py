"""Spoken answers of any run, scored by a recogniser, a speaker model and quality models."""

import json
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from auricle import Settings, Spec, api
from auricle.core.errors import ExitStatus, NothingToJudge, Unsupported
from auricle.core.types import Generation
from auricle.engine.budget import Budget
from auricle.engine.spec import JudgeSpec
from auricle.runs.integrity import verify_run
from auricle.runs.metrics import Metrics
from auricle.runs.run_directory import Run
from auricle.runs.usage import Price

MODELS = '''
"""A voice that beeps each letter of a text, models that understand beeps, and one that is deaf."""

from pathlib import Path

import numpy as np

from auricle import Audio, Generation, SampleError

RATE, BEEP = 8000, 80
LETTERS = " abcdefghijklmnopqrstuvwxyz"


def beep(text: str) -> Audio:
    levels = [(LETTERS.index(letter) + 1) / 32 for letter in text.lower()]
    return Audio.of(np.repeat(np.array(levels, dtype=np.float32), BEEP), rate=RATE)


def speak(text: str) -> Generation:
    return Generation(text=text, audio=None if text.startswith("mute") else beep(text))


def read_beeps(audio) -> str:
    levels = audio.decode()[BEEP // 2 :: BEEP]
    return "".join(LETTERS[round(float(level) * 32) - 1] for level in levels)


class Recogniser:
    batch_size = 1

    def __init__(self, log, mishears="", deaf=False):
        self.log, self.mishears, self.deaf = Path(log), mishears, deaf

    def generate(self, batch):
        return [Generation(text=self.transcribe(request.audio)) for request in batch]

    def transcribe(self, audio):
        text = read_beeps(audio)
        with self.log.open("a") as log:
            log.write(f"recogniser {text}\\\\n")
        if self.deaf:
            raise SampleError("cannot hear it")
        return text.replace(self.mishears, "what") if self.mishears else text


class Rater:
    """Rates short texts best."""

    def __init__(self, log):
        self.log = Path(log)

    def predict(self, batch):
        with self.log.open("a") as log:
            log.writelines(f"quality {read_beeps(request.inputs['audio'])}\\\\n" for request in batch)
        return [{"brevity": 5.0 - len(read_beeps(request.inputs["audio"])) / 10} for request in batch]


class Voices:
    def __init__(self, log):
        self.log = Path(log)

    def predict(self, batch):
        with self.log.open("a") as log:
            log.writelines("speaker\\\\n" for request in batch)
        return [{"score": 1.0 - abs(self.level(request, "a") - self.level(request, "b"))} for request in batch]

    def level(self, request, side):
        return float(request.inputs[side].decode().mean())
'''
METRIC = """
from auricle.tasks.speech.metrics.predicted_quality import make_quality_metric

brevity = make_quality_metric("brevity", "brevity", "models.py:Rater")
"""
TEXTS = ("good morning", "how are you", "see you soon", "good night")


class Workshop:
    """A folder with models, and with runs of the voice."""

    def __init__(self, folder: Path, manifest: Any) -> None:
        self.folder, self.log = folder, folder / "calls.log"
        (folder / "models.py").write_text(MODELS.replace("\\\\", "\\"))
        (folder / "metric.py").write_text(METRIC)
        self.manifest = manifest

    def judge(self, name: str, role: str, **args: Any) -> JudgeSpec:
        return JudgeSpec.parse(
            {"model": f"{self.folder}/models.py:{name}", "args": {"log": str(self.log), **args}, "role": role}
        )

    def recogniser(self, **args: Any) -> JudgeSpec:
        return self.judge("Recogniser", "recogniser", **args)

    def calls(self) -> Counter[str]:
        lines = self.log.read_text().splitlines() if self.log.exists() else []
        return Counter(line.split()[0] for line in lines)

    def run(self, *judges: JudgeSpec, texts: tuple[str, ...] = TEXTS, **task_args: Any) -> Metrics:
        data = self.manifest([{"id": str(row), "question": text} for row, text in enumerate(texts)])
        spec = Spec(
            task="open",
            model=f"{self.folder}/models.py:speak",
            task_args={"data": str(data), **task_args},
            judge=judges,
        )
        metrics = api.evaluate(spec, self.path).metrics
        assert metrics
        return metrics

    def score(self, *judges: JudgeSpec, **arguments: Any) -> Metrics:
        metrics = api.score(self.path, judge=judges, **arguments).metrics
        assert metrics
        return metrics

    @property
    def path(self) -> Path:
        return self.folder / "run"

    @property
    def verdicts(self) -> Path:
        return self.path / "verdicts.jsonl"


@pytest.fixture
def workshop(tmp_path: Path, manifest: Any) -> Workshop:
    return Workshop(tmp_path, manifest)


def values(metrics: Metrics) -> dict[str, float]:
    return {number.metric: number.value for number in metrics.overall if number.value is not None}


def test_a_recogniser_adds_round_trip_rates_to_any_run(workshop: Workshop) -> None:
    metrics = workshop.run(workshop.recogniser(mishears="good"))
    assert values(metrics) == pytest.approx({"empty": 0.0, "round_trip_wer": 2 / 10, "round_trip_cer": 8 / 45})
    assert ".by-models.py:Recogniser#" in str(metrics["round_trip_wer"].signature)
    assert metrics["round_trip_wer"].scored == 4
    (facts,) = metrics.judges
    assert (facts.role, facts.verdicts, facts.missing) == ("recogniser", 4, 0)
    assert workshop.calls() == {"recogniser": 4}, "both metrics read one transcript"


def test_models_can_be_added_to_an_existing_run_and_stay(workshop: Workshop) -> None:
    workshop.run()
    added = workshop.score(workshop.recogniser())
    assert added["round_trip_wer"].value == 0.0
    more = workshop.score(
        workshop.judge("Rater", "quality"), task_args={"add_metrics": f"{workshop.folder}/metric.py:brevity"}
    )
    assert {"round_trip_wer", "brevity"} <= values(more).keys()
    assert values(more)["brevity"] == pytest.approx(5.0 - sum(map(len, TEXTS)) / 4 / 10)
    calls = workshop.calls()
    (workshop.folder / "models.py").unlink()
    again = workshop.score(task_args={"add_metrics": f"{workshop.folder}/metric.py:brevity"})
    assert values(again) == values(more)
    assert workshop.calls() == calls == {"recogniser": 4, "quality": 4}


def test_numbers_are_the_same_whether_models_are_given_at_once_or_one_by_one(workshop: Workshop) -> None:
    models = (workshop.recogniser(mishears="you"), workshop.recogniser(), workshop.judge("Voices", "speaker"))
    at_once = workshop.run(*models)
    assert values(workshop.score()) == values(at_once)
    assert at_once["round_trip_wer.rank_agreement"].scored == 4
    assert "rows need a recording of the voice" in at_once.not_computed["speaker_similarity"]


def test_two_recognisers_have_a_number_each(workshop: Workshop) -> None:
    metrics = workshop.run(workshop.recogniser(mishears="good"), workshop.recogniser(mishears="you"))
    rates = [value for name, value in values(metrics).items() if name.startswith("round_trip_wer.by-")]
    assert sorted(rates) == pytest.approx([2 / 10, 2 / 10])
    assert values(metrics)["round_trip_wer.rank_agreement"] < 0


def test_transcripts_of_a_killed_pass_are_not_requested_again(workshop: Workshop) -> None:
    whole = workshop.run(workshop.recogniser(mishears="good"))
    lines = workshop.verdicts.read_bytes().splitlines(keepends=True)
    workshop.verdicts.write_bytes(b"".join(lines[:3]) + lines[3][:40])  # killed while it wrote the third transcript
    partial = workshop.score()
    assert partial.missing_verdicts == 2
    assert partial["round_trip_wer"].scored == 2
    assert values(workshop.score(workshop.recogniser(mishears="good"))) == values(whole)
    assert workshop.calls()["recogniser"] == 4 + 2


def test_damaged_transcripts_are_found_and_requested_again(workshop: Workshop) -> None:
    whole = workshop.run(workshop.recogniser())
    lines = workshop.verdicts.read_bytes().splitlines(keepends=True)
    edited = lines[2].replace(b"o", b"0", 1)
    workshop.verdicts.write_bytes(b"".join([*lines[:2], edited, *lines[3:]]))
    assert any("verdicts.jsonl" in problem.file for problem in verify_run(workshop.path).problems)
    assert workshop.score().missing_verdicts == 1
    assert values(workshop.score(workshop.recogniser())) == values(whole)
    assert workshop.calls()["recogniser"] == 4 + 1


def test_a_recogniser_that_fails_is_not_a_wrong_transcript(workshop: Workshop) -> None:
    metrics = workshop.run(workshop.recogniser(deaf=True), texts=("good morning",))
    assert "round_trip_wer" not in values(metrics)
    assert metrics.not_computed["round_trip_wer"] == (
        "no answer could be scored: the recogniser failed: SampleError: cannot hear it"
    )


def test_answers_without_audio_are_stated(workshop: Workshop) -> None:
    metrics = workshop.run(workshop.recogniser(), texts=("mute one", "good night"))
    assert (metrics["round_trip_wer"].scored, metrics["round_trip_wer"].unreadable) == (1, 1)
    assert metrics.unreadable["round_trip_wer"] == {"the answer has no audio": 1}


def test_a_run_without_audio_has_no_number_and_states_why(workshop: Workshop) -> None:
    metrics = workshop.run(workshop.recogniser(), texts=("mute one", "mute two"))
    assert metrics.not_computed["round_trip_wer"] == "no answer could be scored: the answer has no audio"
    assert workshop.calls() == {}


def test_metrics_that_are_chosen_by_name_replace_the_usual_ones(workshop: Workshop) -> None:
    metrics = workshop.run(workshop.recogniser(), metrics="round_trip_wer_mean")
    assert values(metrics) == {"round_trip_wer_mean": 0.0}
    added = workshop.score(workshop.recogniser(), task_args={"metrics": "empty"})
    assert list(values(added)) == ["empty", "round_trip_wer", "round_trip_cer"]


def test_the_profile_of_the_command_is_that_of_the_added_metrics(workshop: Workshop) -> None:
    workshop.run()
    scored = workshop.score(workshop.recogniser(), profile="none")
    assert "pooled.none:1" in str(scored["round_trip_wer"].signature)


def test_a_model_without_the_ability_is_refused_before_anything_runs(workshop: Workshop) -> None:
    with pytest.raises(Unsupported, match=r"models\.py:Voices' cannot be used as a recogniser: it does not support"):
        workshop.run(workshop.judge("Voices", "recogniser"))
    assert not workshop.path.exists()
    workshop.run()
    with pytest.raises(Unsupported, match=r"cannot be used as a quality model: it does not predict numbers\."):
        workshop.score(workshop.judge("Recogniser", "quality"))


def test_a_quality_model_that_no_metric_reads_is_refused(workshop: Workshop) -> None:
    with pytest.raises(NothingToJudge, match=r"No metric reads what models\.py:Rater predicts\. Write one"):
        workshop.run(workshop.judge("Rater", "quality"))


def test_audio_minutes_of_a_recogniser_have_a_price(workshop: Workshop) -> None:
    workshop.run()
    recogniser = workshop.recogniser()
    price = Price("models.py:Recogniser", audio_minute=60.0)
    budget = Budget(None, None, {recogniser.to_judge().name: price})
    metrics = api.score(workshop.path, judge=[recogniser], observer=budget).metrics
    assert metrics
    (facts,) = metrics.judges
    assert facts.cost == pytest.approx(sum(map(len, TEXTS)) * 80 / 8000, abs=1e-3)
    assert facts.verdicts_without_cost == 0


def test_a_recogniser_stops_at_the_limit_and_goes_on_later(workshop: Workshop) -> None:
    workshop.run()
    recogniser = workshop.recogniser()
    price = Price("models.py:Recogniser", request=1.0)
    budget = Budget(None, 2.0, {recogniser.to_judge().name: price})
    stopped = api.score(workshop.path, judge=[recogniser], observer=budget, settings=Settings(concurrency=1))
    assert stopped.metrics
    assert stopped.stop_reason.endswith("USD spent, the limit is 2.00 USD")
    assert stopped.exit_status != ExitStatus.OK
    assert stopped.metrics.missing_verdicts in (1, 2), "a request that was sent is finished"
    finished = workshop.score(recogniser)
    assert finished.missing_verdicts == 0
    assert workshop.calls()["recogniser"] == 4


def test_runs_that_state_reads_unread_are_still_read(workshop: Workshop) -> None:
    workshop.run()
    path = workshop.path / "spec.json"
    spec = json.loads(path.read_text())
    spec["spec"]["judge"] = {"model": "reader", "args": {}, "reads_unread": True}
    path.write_text(json.dumps(spec))
    (judge,) = Spec.from_run(Run.load(workshop.path)).judges
    assert (judge.model, judge.role.name) == ("reader", "unread")


def test_samples_show_what_was_heard(workshop: Workshop, auricle: Any) -> None:
    workshop.run(workshop.recogniser(mishears="good"))
    shown = auricle("samples", str(workshop.path)).stdout
    assert shown.count("recogniser what morning") == 1
    page = (workshop.path / "report.html").read_text()
    assert "<dt>Recogniser</dt>" in page
    assert "what morning" in page


def test_models_of_roles_are_named_on_the_command_line(workshop: Workshop, auricle: Any) -> None:
    workshop.run()
    models, log = f"{workshop.folder}/models.py", workshop.log
    words = ["--recogniser", f"{models}:Recogniser", "-J", f"recogniser.log={log}", "-J", "recogniser.mishears=good"]
    rater = ["--quality-model", f"{models}:Rater", "-J", f"quality.log={log}"]
    added = ["--add-metrics", f"{workshop.folder}/metric.py:brevity"]
    result = auricle("score", str(workshop.path), *words, *rater, *added, "--json")
    assert result.returncode == 0, result.stderr
    assert workshop.calls() == {"recogniser": 4, "quality": 4}
    assert {"round_trip_wer", "brevity"} <= values(api.load_metrics(workshop.path)).keys()


def test_spoken_answers_are_stored_intact(workshop: Workshop) -> None:
    workshop.run()
    assert verify_run(workshop.path).problems == ()
    outputs = [record.outputs[0] for record in Run.load(workshop.path).records()]
    assert all(isinstance(output, Generation) and output.audio is not None for output in outputs)
