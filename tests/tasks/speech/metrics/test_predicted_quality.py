"""Ratings that quality models predict."""

from typing import Any

import numpy as np
import pytest

from auricle.core.errors import Unreadable
from auricle.core.types import Generation, Sample
from auricle.media import Audio
from auricle.metrics.capabilities import Judged
from auricle.tasks.speech.metrics.predicted_quality import dnsmos_ovrl, make_quality_metric, predicted_quality
from auricle.tasks.speech.roles import QUALITY

CLIP = Audio.of(np.full(800, 0.25, dtype=np.float32), rate=8000)
SAMPLE = Sample(id="1", inputs={"question": "How are you?"})
RATED = {"ovrl_mos": 3.2, "sig_mos": 3.5, "bak_mos": 4.0, "p808_mos": 3.9}


def test_metrics_are_named_after_their_predictor() -> None:
    assert {metric.name: metric.judge_models for metric in predicted_quality if isinstance(metric, Judged)} == {
        **dict.fromkeys(("dnsmos_ovrl", "dnsmos_sig", "dnsmos_bak"), ("dnsmos",)),
        "plcmos": ("plcmos",),
        "distillmos": ("distillmos",),
    }
    assert {metric.judge_role for metric in predicted_quality if isinstance(metric, Judged)} == {QUALITY}


def test_each_metric_reads_its_own_value() -> None:
    output = Generation(text="", audio=CLIP)
    scores = [metric.score(SAMPLE, output, verdicts=(RATED,)) for metric in predicted_quality[:3]]
    assert scores == [3.2, 3.5, 4.0]


def test_all_values_of_a_model_come_from_one_request() -> None:
    output = Generation(text="", audio=CLIP)
    judged = [metric for metric in predicted_quality if isinstance(metric, Judged)]
    asked: Any = [metric.judge_requests(SAMPLE, output) for metric in judged[:3]]
    assert asked[0] == asked[1] == asked[2]
    assert asked[0][0].inputs == {"audio": CLIP}


def test_several_answers_are_averaged() -> None:
    outputs = [Generation(text="", audio=CLIP)] * 2
    assert dnsmos_ovrl.score(SAMPLE, *outputs, verdicts=(RATED, {"ovrl_mos": 2.2})) == pytest.approx(2.7)


def test_failed_samples_are_bounded_by_the_scale() -> None:
    assert dnsmos_ovrl.bound(SAMPLE) == (1.0, 5.0)
    assert make_quality_metric("mine", "value", "mine.py:rate", limits=(0.0, 100.0)).bound(SAMPLE) == (0.0, 100.0)


def test_an_answer_without_audio_is_not_readable() -> None:
    assert isinstance(dnsmos_ovrl, Judged)
    with pytest.raises(Unreadable, match="the answer has no audio"):
        dnsmos_ovrl.judge_requests(SAMPLE, Generation(text="hello"))
