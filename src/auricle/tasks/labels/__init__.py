"""One label per recording: classification, emotions, confusion and dimensions."""

from auricle.core.features import Feature

FEATURE = Feature(
    __name__,
    "one label per recording: classification, emotions, confusion and dimensions",
    metrics={
        "metrics": {
            "word_match": "answer has the words of the right option only (MMAU)",
            "option_accuracy": "right option of a multiple-choice question",
            "accuracy": "right label; in pairs, the side that people prefer",
            "wa": "weighted accuracy, another name of accuracy",
            "accuracy_matched": "accuracy over samples whose label the model has",
            "accuracy_closed": "accuracy among the labels that model and task share",
            "top2": "right label is one of the two highest",
            "top3": "right label is one of the three highest",
            "uar": "unweighted average recall",
            "uar_all": "unweighted average recall; labels the model lacks count as 0",
            "macro_f1": "mean F1 over classes",
            "weighted_f1": "mean F1 weighted by class size",
            "macro_precision": "mean precision over classes",
            "weighted_precision": "mean precision weighted by class size",
            "weighted_recall": "mean recall weighted by class size",
            "ece": "expected calibration error, 15 bins",
        },
        "dimensions": {
            "eta2": "mean share of variance between labels, over all dimensions",
            "eta2_arousal": "arousal: share of variance between labels",
            "eta2_dominance": "dominance: share of variance between labels",
            "eta2_valence": "valence: share of variance between labels",
            "ccc_arousal": "arousal: concordance with listeners' ratings",
            "ccc_dominance": "dominance: concordance with listeners' ratings",
            "ccc_valence": "valence: concordance with listeners' ratings",
            "pearson_arousal": "arousal: correlation with listeners' ratings",
            "pearson_dominance": "dominance: correlation with listeners' ratings",
            "pearson_valence": "valence: correlation with listeners' ratings",
            "rmse_arousal": "arousal: root mean squared error against listeners' ratings",
            "rmse_dominance": "dominance: root mean squared error against listeners' ratings",
            "rmse_valence": "valence: root mean squared error against listeners' ratings",
        },
    },
    task_kinds={
        "classify": ("kinds:classify", "audio classification on your data (`--as classify`)"),
        "emotion": ("kinds:emotion", "emotion recognition on your data (`--as emotion`)"),
    },
    report_sections={
        "classes": ("sections:render_classes", "results per class, and the confusion matrix", "40"),
        "dimensions": ("sections:render_dimensions", "emotions along dimensions", "220"),
    },
    headlines={
        "metrics": ("accuracy", "wa", "uar", "macro_f1", "option_accuracy", "word_match"),
        "dimensions": ("eta2", "ccc_arousal", "ccc_dominance", "ccc_valence"),
    },
)
