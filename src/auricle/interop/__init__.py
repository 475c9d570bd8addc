"""Use models, datasets and configs written for other frameworks, and import or export their results.

There is one package per framework. Prefixes such as `kimi:` are entry points in pyproject.toml.
"""

IMPORTABLE_KINDS = ("asr", "mcq", "qa", "open", "classify")
"""Kinds of task that imported result rows can be scored as."""
