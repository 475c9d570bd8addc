"""Load tests: send requests at planned times and measure serving performance."""

from auricle.core.features import Feature

FEATURE = Feature(
    __name__,
    "load tests: send requests at planned times and measure serving performance",
    commands={"perf": ("commands:perf", "Load-test a model on TASK, or on the requests of --data.", "Evaluate")},
    more={
        "folder_kinds": {"load-test": ("folders:LoadTestFolder", "compared and decided on load by load")},
        "registries": {"load-patterns": ("load_syntax:LOAD_PATTERNS", "names for `--load`")},
    },
)
