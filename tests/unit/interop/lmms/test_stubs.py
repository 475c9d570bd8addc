from pathlib import Path
from typing import Any

from auricle.core.registry import import_object
from auricle.interop.lmms.stub_importer import stubs_importable
from auricle.interop.lmms.stubs import Collator, chunks, lmms

CLASSES = Path(__file__).with_name("lmms_classes.py")


def test_argument_strings_are_parsed_as_in_lmms_eval() -> None:
    with stubs_importable():
        model_class = import_object(f"{CLASSES}:CodeChat")
        complete: Any = type("Complete", (model_class,), {"generate_until_multi_round": None})
        model = complete.create_from_arg_string(
            "pretrained=a/b,flag=true,scale=0.5,more={'x': 1, 'y': 2}", {"batch_size": 3, "n": None}
        )
    assert model.batch_size == 3
    assert model.given == {"flag": True, "scale": 0.5, "more": "{'x': 1, 'y': 2}"}


def test_a_collator_restores_the_order_of_the_requests() -> None:
    collator = Collator(["ccc", "a", "bb"], sort_fn=len)
    batches = list(collator.get_batched(n=2))
    assert batches == [["a", "bb"], ["ccc"]]
    assert collator.get_original(text.upper() for batch in batches for text in batch) == ["CCC", "A", "BB"]


def test_chunks_have_at_most_n_items() -> None:
    assert list(chunks(range(5), 2)) == [[0, 1], [2, 3], [4]]


def test_a_system_prompt_replaces_an_earlier_one() -> None:
    messages = [{"role": "system", "content": "old"}, {"role": "user", "content": "hello"}]
    with_prompt = lmms._apply_system_prompt(None, messages, "new")  # type: ignore[arg-type]
    assert with_prompt[0] == {"role": "system", "content": "new"}
    assert len(with_prompt) == 2
