"""The task kind `conversation`: files of scripts, and the samples they become."""

import asyncio
import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from auricle import api
from auricle.core.errors import AudioError, SpecError
from auricle.core.types import Call, Output, RejectedRow, Request, Sample
from auricle.engine.settings import Settings
from auricle.engine.spec import JudgeSpec, Spec
from auricle.engine.task_files import read_task_file
from auricle.media import Audio
from auricle.metrics.capabilities import Restricted
from auricle.tasks.calls import kind as conversations
from auricle.tasks.calls.inferencers import HoldCall
from auricle.tasks.calls.kind import conversation
from auricle.tasks.calls.simulated_caller import CallerPrompt, SimulatedCaller
from tests.support import paths
from tests.support.calls import make_recording


class Beeper:
    """A voice that beeps as long as its text."""

    def __init__(self, name: str = "", language: str = "") -> None:
        if name == "missing":
            raise SpecError("No voice is installed.")
        self.signature = f"beeper:{name}-{language}"

    def synthesise(self, text: str) -> Audio:
        return Audio.of(np.full(80 * len(text), 0.5, np.float32), rate=8000)


@pytest.fixture(autouse=True)
def _voice(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.setattr(conversations, "find_voice", Beeper)


@pytest.fixture
def write(tmp_path: Path) -> Callable[[str, str], Path]:
    def write_file(name: str, content: str) -> Path:
        (tmp_path / name).write_text(content)
        return tmp_path / name

    return write_file


SCRIPT = """\
kind: conversation
language: en
voice: deep
instructions: You answer the phone of a restaurant.
conversations:
  - id: hours
    script:
      - say: What time do you open?
    expect: contains nine
    subset: questions
  - id: booking
    repeats: 2
    voice: high
    max_seconds: 30
    script:
      - say: A table for four on Friday, please.
      - noise: 0.5
    expect: tool book_table(day="Friday")
"""


def read_samples(path: Path, **arguments: Any) -> list[Sample]:
    samples = list(conversation(data=str(path), **arguments).samples)
    assert all(isinstance(sample, Sample) for sample in samples)
    return [sample for sample in samples if isinstance(sample, Sample)]


def validate(path: Path) -> None:
    conversation(data=str(path)).samples.validate()  # type: ignore[attr-defined]


def request_of(sample: Sample) -> Call:
    """Return the call that a model is sent."""
    requests: list[Call] = []

    async def ask(request: Request) -> Output:
        assert isinstance(request, Call)
        requests.append(request)
        return make_recording()

    outputs = asyncio.run(HoldCall()(sample, ask))
    assert outputs == (make_recording(),)
    return requests[0]


def test_each_conversation_of_a_yaml_file_is_a_sample_per_repetition(write: Any) -> None:
    hours, first, second = read_samples(write("calls.yaml", SCRIPT))
    assert [sample.id for sample in (hours, first, second)] == ["hours", "booking.1", "booking.2"]
    assert hours.target == [{"contains": ["nine"]}]
    assert hours.meta == {"subset": "questions", "conversation": "hours"}
    assert second.meta == {"conversation": "booking", "repeat": 2}
    assert first.inputs != second.inputs
    assert first.origin.endswith("calls.yaml:11")
    call = request_of(first)
    assert call.instructions == "You answer the phone of a restaurant."
    assert [step.text for step in call.steps] == ["A table for four on Friday, please.", ""]
    assert (call.max_seconds, call.language, len(call.audios)) == (30.0, "en", 2)


def test_a_task_file_with_conversations_is_its_own_data(write: Any) -> None:
    path = write("calls.yaml", SCRIPT)
    reference = read_task_file(path, {"voice": "soft"})
    assert reference.arguments["data"] == str(path)
    task = conversation(**reference.arguments)
    assert task.name == "calls"
    assert task.cluster == "conversation"
    assert task.revision.endswith("beeper:high-en beeper:soft-en")
    assert len(task.samples) == 3  # type: ignore[arg-type]


def test_rows_of_a_jsonl_file_take_their_defaults_from_options(write: Any) -> None:
    rows = [{"id": "a", "script": [{"say": "Hello."}]}, {"script": [{"say": "Bye."}], "instructions": "Be rude."}]
    path = write("calls.jsonl", "".join(json.dumps(row) + "\n" for row in rows))
    tools = [{"name": "hang_up"}]
    first, second = read_samples(path, instructions="Be kind.", tools=tools, repeats=1)
    assert [request_of(sample).instructions for sample in (first, second)] == ["Be kind.", "Be rude."]
    assert [tool.name for tool in request_of(second).tools] == ["hang_up"]
    assert (first.id, second.id) == ("a", "2")
    assert first.target is None


def test_an_invalid_row_of_a_jsonl_file_costs_only_itself(write: Any) -> None:
    rows = [{"script": [{"say": "Hello."}, {"shout": "Hey!"}]}, {"script": [{"say": "Bye."}]}]
    task = conversation(data=str(write("calls.jsonl", "".join(json.dumps(row) + "\n" for row in rows))))
    rejected, valid = task.samples
    assert isinstance(valid, Sample)
    assert isinstance(rejected, RejectedRow)
    assert rejected.reason.startswith("script.1.shout: Unknown field 'shout' of a step.")


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("      - noise: 0.5", "      - nosie: 0.5", ":17: Unknown field 'nosie' of a step. Did you mean 'noise'?"),
        (
            "    script:\n      - say: What",
            "    scirpt:\n      - say: What",
            ":7: Unknown field 'scirpt'. Did you mean",
        ),
        ("expect: contains nine", "expect: nine", ":9: Unknown expectation 'nine'"),
        ("repeats: 2", "repeats: many", ":12: Invalid repeats 'many': expected a number from 1 to 100."),
        ("max_seconds: 30", "max_seconds: -1", ":14: Invalid max_seconds -1"),
        ("voice: deep", "tools: [{title: x}]", ":3: Invalid tool"),
        ("voice: deep", "turn_detection: magic", ":3: Invalid turn_detection 'magic': expected model or caller."),
        ("voice: deep", "voices: deep", ":3: Unknown field 'voices'. Did you mean 'voice'?"),
    ],
)
def test_what_is_wrong_with_a_yaml_file_is_stated_with_its_line(write: Any, old: str, new: str, message: str) -> None:
    assert old in SCRIPT
    path = write("calls.yaml", SCRIPT.replace(old, new, 1))
    with pytest.raises(SpecError) as caught:
        validate(path)
    assert str(caught.value).startswith(f"{path}{message}")


def test_a_file_without_conversations_is_refused(write: Any) -> None:
    with pytest.raises(SpecError, match="Missing field 'conversations'"):
        validate(write("calls.yaml", "language: en\n"))
    with pytest.raises(SpecError, match=r"has no valid conversation\. Missing field 'script'"):
        validate(write("calls.jsonl", '{"id": "a"}\n'))


def test_a_voice_that_is_missing_is_reported_before_the_run(write: Any) -> None:
    with pytest.raises(SpecError, match="No voice is installed"):
        validate(write("calls.yaml", SCRIPT.replace("voice: deep", "voice: missing")))


def test_a_voice_that_fails_costs_its_conversation(write: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(_voice: Any, text: str) -> Audio:
        raise AudioError(f"cannot speak {text!r}")

    monkeypatch.setattr(conversations, "speak", fail)
    reasons = [row.reason for row in conversation(data=str(write("calls.yaml", SCRIPT))).samples]  # type: ignore[union-attr]
    assert reasons == ["cannot speak 'What time do you open?'", "cannot speak 'A table for four on Friday, please.'"]


CALLER = """\
kind: conversation
voice: deep
caller:
  model: openai
  model_args: {model: any, base_url: "http://127.0.0.1:9/v1", api_key: sk-caller-9f8e7d6c5b4a}
  max_turns: 3
conversations:
  - id: booking
    caller: {prompt: You want a table for four.}
"""


def test_a_language_model_can_play_the_caller(write: Any) -> None:
    reference = read_task_file(write("calls.yaml", CALLER), {})
    task = conversation(**reference.arguments)
    (sample,) = task.samples
    assert isinstance(sample, Sample)
    assert isinstance(task.inferencer, HoldCall)
    call = task.inferencer.request(sample)
    assert call.steps == ()
    assert isinstance(call.caller, SimulatedCaller)
    expected = CallerPrompt(prompt="You want a table for four.", max_turns=3, voice="deep")
    assert call.caller.settings == expected
    assert "9f8e7d6c5b4a" not in f"{sample} {task.inferencer}"


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("{prompt: You want a table for four.}", "{prompt: ''}", ":9: Missing field 'prompt' of the caller"),
        ("{prompt: You want", "{model: echo, prompt: You want", ":9: The model of the caller is the same for all"),
        ("{prompt: You want", "{promt: You want", ":9: Unknown field 'promt'. Did you mean 'prompt'?"),
        ("max_turns: 3", "max_turns: 0", ":6: Invalid max_turns 0"),
        ("max_turns: 3", "gap: -1", ":6: "),
        (
            "conversations:",
            "first_speaker: me\nconversations:",
            ":7: Invalid first_speaker 'me': expected caller or agent",
        ),
    ],
)
def test_what_is_wrong_with_a_caller_is_stated(write: Any, old: str, new: str, message: str) -> None:
    assert old in CALLER
    path = write("calls.yaml", CALLER.replace(old, new, 1))
    with pytest.raises(SpecError) as caught:
        conversation(**read_task_file(path, {}).arguments).samples.validate()  # type: ignore[attr-defined]
    assert str(caught.value).startswith(f"{path}{message}")


@pytest.mark.parametrize("page", ["voice-agents", "task-files"])
def test_the_scripts_in_the_documentation_are_valid(page: str, write: Any) -> None:
    text = (paths.ROOT / "docs" / f"{page}.md").read_text()
    blocks = [block for block in re.findall(r"```yaml\n(.*?)```", text, re.DOTALL) if "kind: conversation" in block]
    assert blocks
    for block in blocks:
        arguments = read_task_file(write("calls.yaml", block), {}).arguments
        assert all(isinstance(sample, Sample) for sample in conversation(**arguments).samples)


def test_default_metrics_that_apply_to_no_call_are_no_failures(write: Any) -> None:
    path = str(write("calls.yaml", SCRIPT))
    assert all(isinstance(metric, Restricted) for metric in conversation(data=path).metrics)
    (chosen,) = conversation(data=path, metrics="yield_latency").metrics
    assert not isinstance(chosen, Restricted)


AGENT_AND_JUDGE = """\
import numpy as np
from auricle import SessionModel
from auricle.core.calls import EndOfTurn, EventKind, SessionEvent

class Agent(SessionModel):
    async def session(self, call, inputs):
        yield SessionEvent(kind=EventKind.READY)
        async for given in inputs:
            if isinstance(given, EndOfTurn):
                yield SessionEvent(kind=EventKind.RESPONSE_STARTED, item="a")
                yield SessionEvent(kind=EventKind.TRANSCRIPT, item="a", text="We open at nine.")
                yield SessionEvent(kind=EventKind.AUDIO, item="a", audio=np.full(2400, 9000, np.int16))
                yield SessionEvent(kind=EventKind.USAGE, data={"input_tokens": 40, "output_tokens": 2})
                yield SessionEvent(kind=EventKind.RESPONSE_DONE, item="a", data={"status": "completed"})

def judge(text):
    call = text.partition("<call>")[2].partition("</call>")[0]
    statement = text.partition("<statement>")[2].partition("</statement>")[0]
    assert call.strip() == "Caller: Hello?\\nAgent: We open at nine.", call
    return "Verdict: yes" if "hours" in statement else "Verdict: no"
"""


def test_a_judge_checks_the_statements_about_a_call(write: Any, tmp_path: Path) -> None:
    models = write("models.py", AGENT_AND_JUDGE)
    rows = [
        {"id": "a", "script": [{"say": "Hello?"}], "expect": ["judge It states its hours.", "contains nine"]},
        {"id": "b", "script": [{"say": "Hello?"}], "expect": ["judge It gives the hours.", "judge It apologises."]},
        {"id": "c", "script": [{"say": "Hello?"}], "expect": "contains nine"},
    ]
    data = write("calls.jsonl", "".join(json.dumps(row) + "\n" for row in rows))
    task_args = {"data": str(data), "turn_detection": "caller", "response_timeout": 0.5}
    judge = JudgeSpec(model=f"{models}:judge")
    spec = Spec(task="conversation", task_args=task_args, model=f"{models}:Agent", judge=judge)
    result = api.evaluate(spec, tmp_path / "run", settings=Settings(concurrency=3))
    assert (result["judged_success"].value, result["judged_success"].scored) == (0.75, 2)
    assert result["task_success_judged"].value == pytest.approx(2 / 3)
    assert result["task_success"].value == 1.0
    usage = api.load_metrics(tmp_path / "run").usage
    assert (usage.input_tokens, usage.output_tokens) == (120, 6)


def test_a_run_can_be_scored_without_its_script(tmp_path: Path) -> None:
    task = conversation(data=str(tmp_path / "deleted.yaml"), metrics="response_rate")
    assert [metric.name for metric in task.metrics] == ["response_rate"]
