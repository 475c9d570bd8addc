"""Ratings and preferences of people, for reward models."""

from auricle.core.features import Feature

FEATURE = Feature(
    __name__,
    "ratings and preferences of people, for reward models",
    metrics={
        "ratings": {
            "srcc": "Spearman's rank correlation with human ratings",
            "lcc": "Pearson's linear correlation with human ratings (PLCC)",
            "ktau": "Kendall's tau-b with human ratings",
            "rmse": "root mean squared error against human ratings",
        },
        "preference": {
            "chance": "accuracy of a coin toss on pairs",
            "always_b": "accuracy of always choosing the second of a pair",
            "position_bias": "share of pairs decided by position, not by content",
        },
    },
    task_kinds={
        "reward": ("kinds:reward", "quality ratings on your data (`--as reward`)"),
        "preference": ("kinds:preference", "pairwise preferences on your data (`--as preference`)"),
    },
    more={"scoring_arguments": dict.fromkeys(("outputs", "ties"), ("kinds:RewardOptions", ""))},
    headlines={"ratings": ("srcc",), "preference": ()},
)
