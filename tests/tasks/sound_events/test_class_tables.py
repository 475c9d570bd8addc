"""Tables of labels and of classes of events."""

from typing import Any

from auricle.core.signature import Signature
from auricle.runs.metrics import Number
from auricle.tasks.sound_events.class_tables import describe_rare_classes, list_event_classes, list_tag_classes
from auricle.tasks.sound_events.tagging import mean_ap

TAGS = {
    "tag_classes": {
        "dog": {"ap": 0.9, "base_rate": 0.2, "positives": 20, "auc": 0.95, "d_prime": 2.3, "low": 0.8, "high": 0.95},
        "rain": {"ap": 0.4, "base_rate": 0.1, "positives": 10, "auc": 0.7, "d_prime": 0.7, "low": 0.2, "high": 0.6},
        "sea": {"ap": None, "base_rate": 0.0, "positives": 0, "auc": None, "d_prime": None, "low": None, "high": None},
    },
    "classes_without_positives": ["sea"],
    "classes_with_few_positives": ["rain"],
}


def number(metric: str, details: dict[str, Any]) -> Number:
    return Number(metric=metric, title=metric, value=0.5, signature=Signature.parse(f"{metric}:1"), details=details)


def test_labels_are_listed_with_the_lowest_average_precision_first() -> None:
    numbers = [number("wer", {}), number("mean_ap", TAGS)]
    assert [item.name for item in list_tag_classes(numbers)] == ["rain", "dog", "sea"]
    assert list_tag_classes(numbers)[0].low == 0.2


def test_rare_labels_are_named() -> None:
    without, few = describe_rare_classes([number("mean_ap", TAGS)])
    assert without.startswith("No recording has the label of sea")
    assert few.startswith("Fewer than 20 recordings have the label of rain")
    many = {**TAGS, "classes_with_few_positives": [f"label {index}" for index in range(30)]}
    assert "and 18 further classes" in describe_rare_classes([number("mean_ap", many)])[1]


def test_classes_of_events_join_the_figures_of_several_metrics() -> None:
    figures = {"hits": 3, "false_alarms": 1, "misses": 1, "precision": 0.75, "recall": 0.75, "f1": 0.75}
    numbers = [
        number("segment_f1_macro", {"event_classes": {"dog": figures, "rain": {**figures, "f1": 0.9}}}),
        number("event_f1_macro", {"event_classes": {"dog": {**figures, "f1": 0.5}, "rain": {**figures, "f1": 0.2}}}),
        number("psds1", {"psds_classes": {"dog": 0.3, "rain": None}}),
    ]
    rain, dog = list_event_classes(numbers)
    assert (rain.name, rain.event_f1, rain.segment_f1, rain.psds1) == ("rain", 0.2, 0.9, None)
    assert (dog.events, dog.psds1, dog.psds2) == (4, 0.3, None)


def test_other_runs_have_neither() -> None:
    assert list_tag_classes([number("wer", {})]) == []
    assert list_event_classes([number("wer", {})]) == []
    assert describe_rare_classes([number("wer", {})]) == []


def test_the_details_of_the_metric_fit_the_table() -> None:
    details = dict(mean_ap.details([(0.9, 1), (0.1, 0), (0.5, 1)]))
    (item,) = list_tag_classes([number("mean_ap", details)])
    assert (item.name, item.positives, item.ap) == ("1", 2, 1.0)
