import asyncio

import pytest

from auricle.core.errors import SampleError
from auricle.core.types import Sample
from auricle.interop.aisbench.adapters import BaseRetriever, LazySession, ModelAdapter, StatusCounter
from auricle.prompts import Prompt


def test_a_retriever_contains_one_sample() -> None:
    sample = Sample(id="1", inputs={"question": "What?"}, target="a")
    retriever = BaseRetriever(sample, Prompt.of("{question}"), "mine")
    assert retriever.generate_prompt_for_generate_task(0, "") == "What?"
    assert retriever.get_gold_ans() == ["a"]
    with pytest.raises(IndexError, match="there is no row 1"):
        retriever.generate_prompt_for_generate_task(1, "")


def test_prompts_are_not_rendered_for_other_modes() -> None:
    with pytest.raises(SampleError, match="mode='gen' only, not 'ppl'"):
        ModelAdapter("mine", 8).parse_template("a", mode="ppl")


def test_counters_are_summarised() -> None:
    counter = StatusCounter()
    asyncio.run(counter.post())
    assert str(counter).startswith("1 requests posted, 0 received")


def test_an_unused_session_is_closed_without_being_created() -> None:
    session = LazySession()
    asyncio.run(session.aclose())
    assert session._session is None
