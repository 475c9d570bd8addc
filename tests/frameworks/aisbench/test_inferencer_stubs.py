"""All three kinds of AISBench's inferencers can be subclassed, and classes can do without them."""

from __future__ import annotations

import asyncio
import sys
from pathlib import Path
from typing import Any

import pytest

from auricle import Generation, Likelihood, Sample, Turn
from auricle.core.errors import Rejected, SampleError, SpecError
from auricle.core.types import Generate, LogLikelihood
from auricle.frameworks.aisbench import resolve_inferencer_factory
from auricle.frameworks.aisbench.adapters import CURRENT_SAMPLE, ModelAdapter, SampleContext
from auricle.frameworks.aisbench.inferencer_stubs import (
    CURRENT_MODEL,
    BaseInferencer,
    GenInferencer,
    PPLInferencer,
    PPLInferencerOutputHandler,
)
from auricle.frameworks.aisbench.outputs import PPLResponseOutput

CLASSES = Path(__file__).with_name("aisbench_classes.py")
TALK = Sample(
    id="1",
    inputs={"turns": [Turn("system", ("Be brief.",)), Turn("user", ("one",)), Turn("user", ("two",))]},
    target=["1", "2"],
)
TALK_WITH_ANSWERS = Sample(
    id="1", inputs={"turns": [Turn("user", ("one",)), Turn("assistant", ("uno",)), Turn("user", ("two",))]}
)
QUIZ = Sample(id="1", inputs={"question": "Which?", "choices": ["cat", "dog"]}, target="dog")


def seen() -> Any:
    return sys.modules["auricle_file_aisbench_classes"].SEEN[-1]


def infer(name: str, sample: Sample, prompt: Any = None, **arguments: Any) -> tuple[list[str], list[Any]]:
    """Run a class on a sample; return the reported texts and the requests."""
    requests: list[Any] = []

    async def ask(request: Any) -> Any:
        requests.append(request)
        if isinstance(request, LogLikelihood):
            text = "".join(str(part) for turn in request.turns for part in turn.parts) + request.continuation
            if "refuse" in text:
                raise Rejected("HTTP 400")
            return Likelihood(logprobs=(-1.0 if "dog" in text else -2.0, 0.0))
        if any("refuse" in str(turn.parts) for turn in request.turns):
            raise Rejected("HTTP 400")
        return Generation(text=f"answer {len(requests)}")

    inferencer = resolve_inferencer_factory(f"{CLASSES}:{name}")(prompt=prompt, **arguments)
    outputs = asyncio.run(inferencer(sample, ask))
    return [output.text for output in outputs], requests


def texts_of(request: Generate) -> list[str]:
    return ["".join(map(str, turn.parts)) for turn in request.turns]


# --- conversations --------------------------------------------------------------------


@pytest.mark.parametrize("name", ["Chat", "OwnChat"])
def test_a_conversation_continues_from_the_answers_of_the_model(name: str) -> None:
    reported, requests = infer(name, TALK)
    assert reported == ["answer 1", "answer 2"]
    assert [texts_of(request) for request in requests] == [
        ["Be brief.", "one"],
        ["Be brief.", "one", "answer 1", "two"],
    ]


def test_only_the_last_turn_is_asked_with_the_answers_of_the_data() -> None:
    reported, requests = infer("Chat", TALK_WITH_ANSWERS, infer_mode="last")
    assert reported == ["answer 1"]
    assert [texts_of(request) for request in requests] == [["one", "uno", "two"]]


def test_every_turn_is_asked_with_the_answers_of_the_data() -> None:
    reported, requests = infer("Chat", TALK_WITH_ANSWERS, infer_mode="every_with_gt")
    assert reported == ["answer 1", "answer 2"]
    assert [texts_of(request) for request in requests] == [["one"], ["one", "uno", "two"]]
    with pytest.raises(SampleError, match="needs the reference answers"):
        infer("Chat", TALK, infer_mode="every_with_gt")


def test_each_turn_may_have_its_own_limit() -> None:
    turns = [Turn("user", (str(number),)) for number in range(3)]
    sample = Sample(id="1", inputs={"turns": turns}, meta={"max_out_len": [7, 9]})
    assert [request.max_tokens for request in infer("Chat", sample)[1]] == [7, 9, 9]


def test_a_conversation_ends_with_the_first_turn_that_fails() -> None:
    turns = [Turn("user", ("refuse",)), Turn("user", ("two",))]
    with pytest.raises(Rejected, match="HTTP 400"):
        infer("Chat", Sample(id="1", inputs={"turns": turns}))


def test_an_unknown_mode_is_refused() -> None:
    with pytest.raises(SpecError, match="infer_mode should be every, last, every_with_gt, not 'all'"):
        infer("Chat", TALK, infer_mode="all")


def test_a_sample_without_prompt_and_conversation_is_refused() -> None:
    with pytest.raises(SampleError, match="is not a conversation"):
        infer("Chat", QUIZ)


def test_messages_have_markers_around_the_rounds() -> None:
    infer("Chat", TALK)
    assert [item.get("section", item.get("role")) for item in seen()] == [
        *("SYSTEM", "round", "HUMAN", "BOT", "HUMAN", "BOT", "round")
    ]


@pytest.mark.slow
def test_conversations_run_on_the_command_line_with_local_and_api_models(
    auricle: Any, manifest: Any, tmp_path: Path
) -> None:
    path = manifest([{"id": "1", "turns": [{"user": "a", "assistant": "a"}, {"user": "b", "assistant": "b"}]}])
    task = tmp_path / "task.yaml"
    task.write_text(f"kind: chat\ndata: {path.name}\ninferencer: aisbench:{CLASSES}:Chat\n")
    for model in ("echo", "fake-api"):
        result = auricle("run", task, "-m", model, "-o", model)
        assert result.returncode == 0, result.stderr
        assert "2 requests posted, 2 received" in result.stdout


# --- perplexities ---------------------------------------------------------------------


def test_the_label_whose_text_is_most_likely_is_the_answer() -> None:
    templates = {"A": "{question} cat", "B": "{question} dog"}
    reported, requests = infer("Perplexity", QUIZ, prompt="{question}", templates=templates)
    assert reported == ["B"]
    assert [(request.turns, request.continuation, request.include_context) for request in requests] == [
        ((), "Which? cat", True),
        ((), "Which? dog", True),
    ]
    assert set(seen()) == {"A", "B"}


def test_choices_are_the_labels_of_a_sample_without_templates() -> None:
    reported, requests = infer("Perplexity", QUIZ, prompt="{question}")
    assert reported == ["dog"]
    assert requests[0].turns == (Turn("user", ("Which?",)),)
    assert requests[0].continuation == "cat"


def test_labels_can_be_listed() -> None:
    reported, requests = infer("Perplexity", QUIZ, prompt="{question}", labels=["cow", "dog", "pig"])
    assert reported == ["dog"]
    assert [request.continuation for request in requests] == ["cow", "dog", "pig"]


def test_a_class_may_measure_a_text_itself() -> None:
    assert infer("OwnPerplexity", QUIZ, prompt="{question} dog")[0] == ["0.50"]


def test_a_failed_request_fails_the_sample() -> None:
    with pytest.raises(Rejected, match="HTTP 400"):
        infer("Perplexity", QUIZ, prompt="refuse {question}")


def test_a_sample_without_labels_is_refused() -> None:
    with pytest.raises(SampleError, match="there are no labels"):
        infer("Perplexity", Sample(id="1", inputs={"question": "Which?"}), prompt="{question}")


@pytest.mark.parametrize(("name", "needs"), [("Perplexity", "loglikelihood"), ("OwnPerplexity", "loglikelihood")])
def test_classes_that_compare_perplexities_need_a_model_that_returns_them(name: str, needs: str) -> None:
    build = resolve_inferencer_factory(f"{CLASSES}:{name}")
    assert build(prompt="{question}").needs == needs
    assert resolve_inferencer_factory(f"{CLASSES}:Chat")().needs == "generate"


@pytest.mark.parametrize(("arguments", "message"), [({"mode": "perf"}, "performance"), ({}, "streamed")])
def test_perplexities_are_neither_measured_nor_streamed(arguments: Any, message: str) -> None:
    token = CURRENT_MODEL.set(ModelAdapter("mine", 8))
    try:
        with pytest.raises(ValueError, match=message):
            PPLInferencer({"stream": True}, **arguments)
    finally:
        CURRENT_MODEL.reset(token)


# --- base classes and handlers ----------------------------------------------------------


def test_the_storage_of_anomalies_is_taken_from_the_config() -> None:
    token = CURRENT_MODEL.set(ModelAdapter("mine", 8))
    config = {"response_anomaly_payload_storage": {"folder": "x"}}
    try:
        inferencer = BaseInferencer(config)
    finally:
        CURRENT_MODEL.reset(token)
    assert inferencer.response_anomaly_payload_storage == {"folder": "x"}
    assert inferencer.model_cfg == {}
    assert config
    assert (inferencer.perf_mode, inferencer.save_every, inferencer.is_main_process) == (False, 1, True)
    inferencer.set_task_state_manager("manager")
    assert inferencer.task_state_manager == "manager"


def test_a_handler_notes_whether_all_requests_succeeded() -> None:
    handler = PPLInferencerOutputHandler()
    failed, succeeded = PPLResponseOutput(), PPLResponseOutput()
    succeeded.success, succeeded.content, succeeded.label_ppl_list = True, "A", [{"label": "A", "ppl": 1.0}]
    result = handler.get_prediction_result(succeeded, gold="B")
    assert (result["prediction"], result["gold"], result["ppl_list"]) == ("A", "B", succeeded.label_ppl_list)
    assert "gold" not in handler.get_prediction_result(failed)
    token = CURRENT_SAMPLE.set(SampleContext(QUIZ, ask_nothing, asyncio.new_event_loop(), is_local=False))
    try:
        assert handler.report_cache_info_sync(0, "", succeeded)
        assert handler.all_success
        handler.report_cache_info_sync(0, "", failed)
        handler.report_cache_info_sync(0, "", succeeded)
    finally:
        CURRENT_SAMPLE.get().loop.close()
        CURRENT_SAMPLE.reset(token)
    assert not handler.all_success


async def ask_nothing(request: Any) -> Any:
    raise AssertionError("nothing should be sent")


@pytest.mark.parametrize(
    ("mode", "flags"), [("infer", (False, False)), ("perf", (True, False)), ("pressure", (True, True))]
)
def test_the_mode_decides_whether_a_class_measures(mode: str, flags: tuple[bool, bool]) -> None:
    token = CURRENT_MODEL.set(ModelAdapter("mine", 8))
    try:
        inferencer = GenInferencer({}, mode=mode, save_every=None, gen_field_replace_token="X")
    finally:
        CURRENT_MODEL.reset(token)
    assert (inferencer.perf_mode, inferencer.pressure_mode) == flags
    assert (inferencer.output_handler.perf_mode, inferencer.output_handler.save_every) == (flags[0], 1)
    assert inferencer.gen_field_replace_token == "X"


def test_a_handler_may_change_predictions() -> None:
    assert infer("Shouting", QUIZ, prompt="{question}")[0] == ["ANSWER 1"]
