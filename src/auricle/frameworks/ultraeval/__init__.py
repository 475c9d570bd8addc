"""Result files of UltraEval-Audio."""

from auricle.core.features import Feature

FEATURE = Feature(
    __name__,
    "result files of UltraEval-Audio",
    more={
        "importers": {"ultraeval": ("results:FORMAT", "results of UltraEval-Audio")},
        "exporters": {"ultraeval": ("results:export", "results of UltraEval-Audio")},
    },
)
