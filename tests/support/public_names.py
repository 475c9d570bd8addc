"""The names that docs/api.md promises."""

import importlib

PUBLIC_MODULES = ("auricle", "auricle.metrics", "auricle.models", "auricle.tasks", "auricle.testing")
PUBLIC_NAMES = [(module, name) for module in PUBLIC_MODULES for name in importlib.import_module(module).__all__]
