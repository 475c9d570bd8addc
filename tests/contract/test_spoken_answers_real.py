"""Speech of a real synthesiser, scored by a real recogniser, speaker model and quality model."""

import json
from pathlib import Path
from typing import Any

import pytest

from tests.support.extras import require_extra

for extra in ("demo", "mos", "speakers", "tts"):
    require_extra(extra)

from auricle import Spec, api
from auricle.engine.spec import JudgeSpec
from auricle.media.voices import HibariVoice
from auricle.runs.metrics import Metrics
from auricle.tasks.demo.kinds import FOLDER
from auricle.tasks.speech.roles import QUALITY, RECOGNISER, SPEAKER

pytestmark = pytest.mark.slow

TEXTS = ("The old harbour was quiet in the early morning.", "Please bring four chairs and a table to the garden.")
OTHER_VOICE = FOLDER / "s01-clean.opus"
ROLES = {"moonshine": RECOGNISER, "resemblyzer": SPEAKER, "dnsmos": QUALITY}


@pytest.fixture(scope="module")
def metrics(tmp_path_factory: pytest.TempPathFactory) -> Metrics:
    folder: Path = tmp_path_factory.mktemp("spoken")
    voice = HibariVoice("heart")
    rows: list[dict[str, Any]] = []
    for number, text in enumerate(TEXTS):
        path = folder / f"{number}.wav"
        path.write_bytes(voice.synthesise(text, seed=7).encode())
        rows.append({"id": number, "text": text, "reference": path.name, "other_voice": str(OTHER_VOICE)})
    lines = (f"{json.dumps(row)}\n" for row in rows)
    (folder / "texts.jsonl").write_text("".join(lines))
    judges = tuple(JudgeSpec(model=model, role=role) for model, role in ROLES.items())
    spec = Spec(
        task="tts",
        model="hibari",
        task_args={"data": str(folder / "texts.jsonl"), "language": "en", "metrics": "speech_duration"},
        judge=judges,
    )
    result = api.evaluate(spec, folder / "run").metrics
    assert result
    return result


def test_the_recogniser_understands_the_synthesiser(metrics: Metrics) -> None:
    for name in ("round_trip_wer", "round_trip_cer", "round_trip_floor"):
        value = metrics[name].value
        assert value is not None
        assert value < 0.1
    assert "by-moonshine@" in str(metrics["round_trip_wer"].signature)


def test_a_voice_is_more_like_itself_than_like_another(metrics: Metrics) -> None:
    number = metrics["speaker_similarity"]
    assert number.value is not None
    assert number.value > number.details["different_speaker"] + 0.1
    assert number.details["different_speaker_pairs"] == len(TEXTS)


def test_predicted_ratings_are_on_the_scale_of_listeners(metrics: Metrics) -> None:
    for name in ("dnsmos_ovrl", "dnsmos_sig", "dnsmos_bak"):
        value = metrics[name].value
        assert value is not None
        assert 2.5 < value < 5.0
