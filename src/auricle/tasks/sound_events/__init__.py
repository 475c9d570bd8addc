"""Several labels per recording, and sound events and speech in time."""

from auricle.core.features import Feature

FEATURE = Feature(
    __name__,
    "several labels per recording, and sound events and speech in time",
    metrics={
        "tagging": {
            "tagging": "set: the following ten, for `--as tag`",
            "mean_ap": "mean average precision over classes (mAP), from scores",
            "base_rate": "mAP of scores that are all equal: the share of true labels",
            "micro_ap": "average precision over all recordings and classes at once",
            "lwlrap": "label-weighted label-ranking average precision",
            "mean_auc": "mean area under the ROC curve over classes",
            "d_prime": "d′ of the mean area under the ROC curve",
            "tag_f1": "F1 over all labels of all recordings, at a threshold",
            "tag_f1_macro": "mean F1 over classes, at a threshold",
            "tag_precision": "share of predicted labels that are true",
            "tag_recall": "share of true labels that are predicted",
        },
        "metrics.detection": {"detection": "set: the following nine, for `--as detect`"},
        "metrics.segment_based": {
            "segment_f1": "F1 of classes active in segments of 1 s",
            "segment_f1_macro": "mean of the segment-based F1 over classes",
            "segment_error_rate": "substituted, deleted, inserted activities per true one",
            "segment_miss_rate": "share of event time that is not detected",
            "segment_false_alarm_rate": "share of time without events in which one is detected",
        },
        "metrics.event_based": {
            "event_f1": "F1 of events, onset within 200 ms, offset also within 20 %",
            "event_f1_macro": "mean of the event-based F1 over classes",
        },
        "metrics.psds": {
            "psds1": "PSDS, scenario 1: precise times; from scores, all thresholds",
            "psds2": "PSDS, scenario 2: the right class; from scores, all thresholds",
        },
    },
    task_kinds={
        "tag": ("tag:tag", "several labels per recording, on your data (`--as tag`)"),
        "detect": ("detect:detect", "sound events and speech in time, on your data (`--as detect`)"),
    },
    report_sections={"sound-classes": ("class_tables:render_sound_classes", "results per label or class", "210")},
    more={"figures": {"sound_events": ("figures:EventFigures", "")}},
    headlines={
        "tagging": ("mean_ap", "lwlrap", "tag_f1"),
        "metrics.segment_based": ("segment_f1",),
        "metrics.event_based": ("event_f1",),
    },
)
