from __future__ import annotations

import asyncio
from collections.abc import Iterator
from typing import Any

import pytest

from auricle.core.errors import SampleError
from auricle.core.types import Generation, Request, Sample, Turn
from auricle.data.prompts import Prompt
from auricle.frameworks.aisbench.adapters import (
    BaseRetriever,
    ModelAdapter,
    SampleContext,
    StatusCounter,
    from_aisbench,
    to_aisbench,
)


def test_a_retriever_contains_one_sample() -> None:
    sample = Sample(id="1", inputs={"question": "What?"}, target="a")
    retriever = BaseRetriever(sample, Prompt.of("{question}"), "mine")
    assert retriever.generate_prompt_for_generate_task(0, "") == "What?"
    assert retriever.get_gold_ans() == ["a"]
    with pytest.raises(IndexError, match="there is no row 1"):
        retriever.generate_prompt_for_generate_task(1, "")


def test_prompts_are_not_rendered_for_other_modes() -> None:
    model = ModelAdapter("mine", 8)
    assert model.parse_template("a", mode="ppl") == "a"
    with pytest.raises(SampleError, match="mode='gen' and mode='ppl', not 'chat'"):
        model.parse_template("a", mode="chat")


def test_counters_are_summarised() -> None:
    counter = StatusCounter()
    asyncio.run(counter.post())
    assert str(counter).startswith("1 requests posted, 0 received")


def test_a_conversation_with_audio_is_converted_back_unchanged(tone: Any) -> None:
    from auricle import Audio

    audio = Audio.of(tone("a.wav"))
    turns = (
        Turn("system", ("be brief",)),
        Turn("user", (audio, "what?")),
        Turn("assistant", ("a tone",)),
        Turn("user", ("sure?",)),
    )
    assert from_aisbench(to_aisbench(turns)) == turns
    assert from_aisbench(to_aisbench(turns[3:])) == turns[3:]


def test_messages_with_content_are_accepted_and_unknown_roles_rejected() -> None:
    assert from_aisbench([{"role": "user", "content": "hi"}]) == (Turn("user", ("hi",)),)
    with pytest.raises(SampleError, match="role"):
        from_aisbench([{"role": "robot", "prompt": "hi"}])


@pytest.fixture
def context() -> Iterator[SampleContext]:
    async def ask(request: Request) -> Generation:
        return Generation(text="yes", tokens=1)

    loop = asyncio.new_event_loop()
    yield SampleContext(Sample(id="1", inputs={}), ask, loop, is_local=False)
    loop.close()


def test_a_reported_text_keeps_the_metadata_of_its_answer(context: SampleContext) -> None:
    asyncio.run(context.generate("Well?", 8, {}))
    context.add_report(0, "yes", {"prediction": "yes"})
    assert context.outputs("Mine") == (Generation(text="yes", tokens=1),)


def test_a_changed_text_keeps_the_metadata_of_the_only_answer(context: SampleContext) -> None:
    asyncio.run(context.generate("Well?", 8, {}))
    context.add_report(0, "no", {"prediction": "no"})
    (output,) = context.outputs("Mine")
    assert (output.text, output.tokens) == ("no", 1)


def test_an_invalid_limit_is_rejected(context: SampleContext) -> None:
    with pytest.raises(SampleError, match="max_out_len should be a positive integer, not 0"):
        asyncio.run(context.generate("Well?", 0, {}))


def test_a_report_must_be_text(context: SampleContext) -> None:
    context.add_report(0, 7, {"prediction": 7})
    with pytest.raises(SampleError, match="Mine should report a text, not int"):
        context.outputs("Mine")
