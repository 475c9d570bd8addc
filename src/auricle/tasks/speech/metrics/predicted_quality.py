"""Ratings of spoken answers that a model predicts, named after the predictor.

A predicted rating is not a mean opinion score: no listener gave it, and a predictor is valid only for speech like that
it was trained on.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from statistics import fmean

from auricle.core.types import Output, Predict, Sample
from auricle.metrics.base import Metric, constant_bounds, mean
from auricle.tasks.speech.metrics.outputs import list_spoken_outputs, require_audio
from auricle.tasks.speech.metrics.speaker_similarity import read_value
from auricle.tasks.speech.roles import QUALITY

SCALE = (1.0, 5.0)
"""Lowest and highest rating of listeners."""


@dataclass(frozen=True, slots=True)
class QualityScorer:
    """Builds the requests for a quality model, and reads one of its values."""

    value: str

    def judge_requests(self, sample: Sample, *outputs: Output) -> tuple[Predict, ...]:
        """Return a request for each spoken output."""
        spoken = require_audio(list_spoken_outputs(sample, outputs))
        return tuple(Predict(inputs={"audio": audio}) for audio in spoken)

    def score(self, _: Sample, *__: Output, verdicts: Sequence[Mapping[str, float]] = ()) -> float:
        return fmean(read_value(verdict, self.value) for verdict in verdicts)


def make_quality_metric(
    name: str, value: str, model: str, *, title: str = "", limits: tuple[float, float] = SCALE
) -> Metric:
    """Make a metric of one value that a quality model predicts.

    Args:
        name: Name of the metric: that of the predictor, and of its value if it has several.
        value: Name of the value in what the model returns.
        model: Name of the model, such as `dnsmos`, or `file.py:Class` without folders.
        title: Name shown to people. [default: the name of the metric]
        limits: Lowest and highest rating.

    Examples:
        >>> make_quality_metric("dnsmos_p808", "p808_mos", "dnsmos").judge_models
        ('dnsmos',)
    """
    scorer = QualityScorer(value)
    return Metric(
        name,
        scorer.score,
        mean,
        title=title,
        variant=value,
        bounds=constant_bounds(limits),
        unit="points",
        judge_requests=scorer.judge_requests,
        judge_role=QUALITY,
        judge_models=(model,),
    )


dnsmos_ovrl = make_quality_metric("dnsmos_ovrl", "ovrl_mos", "dnsmos", title="DNSMOS OVRL")
dnsmos_sig = make_quality_metric("dnsmos_sig", "sig_mos", "dnsmos", title="DNSMOS SIG")
dnsmos_bak = make_quality_metric("dnsmos_bak", "bak_mos", "dnsmos", title="DNSMOS BAK")
plcmos = make_quality_metric("plcmos", "plcmos", "plcmos", title="PLCMOS")
distillmos = make_quality_metric("distillmos", "distillmos", "distillmos", title="DistillMOS")
predicted_quality = (dnsmos_ovrl, dnsmos_sig, dnsmos_bak, plcmos, distillmos)
