"""Reward models, results and tables of CMI-RewardBench."""

from auricle.core.features import Feature

FEATURE = Feature(
    __name__,
    "reward models, results and tables of CMI-RewardBench",
    models={
        "cmi-rm": (
            "model:CmiRewardModel",
            "CMI-RM, loaded with the code of a CMI-RewardBench checkout; `mode` is final or standard",
        )
    },
    more={
        "model_adapters": {
            "cmi": (
                "model:resolve_model_class",
                "Return the model for `cmi:` and this class path; the class is imported when the model is created.",
            )
        },
        "importers": {"cmi": ("results:FORMAT", "results of CMI-RewardBench")},
        "exporters": {"cmi": ("results:export", "results of CMI-RewardBench")},
    },
)
