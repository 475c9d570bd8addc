"""Parity: a model asked alone and in a batch."""

import json
from pathlib import Path
from typing import Any

from auricle.cli.parity import check_parity
from auricle.engine.spec import Spec

PADDED = """
from auricle import BatchModel, Generation

class Padded(BatchModel):
    '''Pads texts to the longest of the batch and forgets to mask what it padded.'''

    def __init__(self, masks=False):
        self.masks = masks

    def generate(self, batch):
        texts = [str(request.turns[-1].parts[-1]) for request in batch]
        longest = max(map(len, texts))
        return [Generation(text=t if self.masks else t.ljust(longest, "_")) for t in texts]
"""


def findings(tmp_path: Path, **arguments: Any) -> Any:
    (tmp_path / "padded.py").write_text(PADDED)
    rows = ({"question": "a" * at, "answer": "a"} for at in range(1, 5))
    data = tmp_path / "data.jsonl"
    data.write_text("\n".join(json.dumps(row) for row in rows))
    spec = Spec(
        task="qa", task_args={"data": str(data)}, model=f"{tmp_path / 'padded.py'}:Padded", model_args=arguments
    )
    return list(check_parity(spec, 4))


def test_a_model_that_does_not_mask_its_padding_is_found_out_by_sample(tmp_path: Path) -> None:
    (good, line), *samples = findings(tmp_path)
    assert not good
    assert line == "parity: 1 of 4 answers are the same in a batch"
    assert samples[0] == (False, "  0: alone 'a', in a batch 'a___'")


def test_a_model_that_masks_its_padding_answers_the_same(tmp_path: Path) -> None:
    assert findings(tmp_path, masks=True) == [(True, "parity: 4 of 4 answers are the same in a batch")]
