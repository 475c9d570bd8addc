"""The web app: inspect runs, start benchmarks and try models."""

from auricle.core.features import Feature

FEATURE = Feature(
    __name__,
    "the web app: inspect runs, start benchmarks and try models",
    commands={"ui": ("commands:ui", "Open the web app to try models, start runs and inspect results.", "Serve")},
    more={"registries": {"app-pages": ("pages:PAGES", "pages of the app")}},
)
