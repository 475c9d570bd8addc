"""The set of metrics of `--as detect`, and their settings."""

from auricle.metrics.catalogue import METRICS
from auricle.tasks.sound_events.metrics.detection import DetectionSettings, detection


def test_the_set_has_all_metrics_of_sound_events() -> None:
    package = "auricle.tasks.sound_events.metrics."
    names = [name for name, builtin in METRICS.builtin.items() if package in str(builtin)]
    assert {metric.name for metric in detection} == {*names} - {"detection"}


def test_default_settings_change_no_signature() -> None:
    assert [DetectionSettings().apply(metric).signature for metric in detection] == [
        metric.signature for metric in detection
    ]


def test_settings_reach_the_metrics_that_have_them() -> None:
    settings = DetectionSettings(resolution=0.1, collar=0.5, offset_share=0.0, threshold=0.3)
    signatures = [settings.apply(metric).signature for metric in detection]
    assert sum("resolution-0.1.threshold-0.3" in signature for signature in signatures) == 5
    assert sum("collar-0.5.offset-share-0.threshold-0.3" in signature for signature in signatures) == 2
    assert signatures[-2:] == [metric.signature for metric in detection[-2:]]
