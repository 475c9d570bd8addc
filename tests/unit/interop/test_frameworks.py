from importlib import import_module

import pytest

from auricle.interop.frameworks import EXPORT_FORMATS, IMPORT_FRAMEWORKS, RESULT_FORMATS, TASK_IMPORTERS


@pytest.mark.parametrize(("modules", "attribute"), [(TASK_IMPORTERS, "draft_tasks"), (RESULT_FORMATS, "FORMAT")])
def test_every_listed_module_has_its_entry(modules: dict[str, str], attribute: str) -> None:
    assert [name for name, module in modules.items() if not hasattr(import_module(module), attribute)] == []


def test_every_framework_is_listed_once() -> None:
    assert sorted(IMPORT_FRAMEWORKS) == ["aisbench", "cmi", "kimi", "lmms-eval", "open-asr", "ultraeval"]
    assert sorted(EXPORT_FORMATS) == ["cmi", "kimi", "lmms-eval", "open-asr", "ultraeval"]
