import sys
from pathlib import Path

from auricle import api
from auricle.engine.factory import construct_model, resolve_model
from auricle.interop.ser.model import SerModel
from auricle.interop.ser.stubs import MODELS_PACKAGE, SuiteModules
from tests.unit.interop.ser.conftest import SpecBuilder


def test_modules_of_the_suite_are_gone_after_the_run(build_spec: SpecBuilder, tmp_path: Path) -> None:
    names = ("models", "datasets", "datasets.base")
    before = {name: sys.modules.get(name) for name in names}
    api.evaluate(build_spec(), tmp_path / "out", infer_only=True)
    assert {name: sys.modules.get(name) for name in names} == before


def test_a_base_class_of_the_suite_replaces_the_stub(suite: Path, build_spec: SpecBuilder, tmp_path: Path) -> None:
    (suite / "models" / "base.py").write_text(
        "class BaseModelWrapper:\n"
        "    origin = 'suite'\n"
        "    def load(self): ...\n"
        "    def predict_batch(self, audio_paths): ...\n"
    )
    model = construct_model(resolve_model(build_spec("plane_wrapper.py:Plane")), "plane", {})
    assert isinstance(model, SerModel)
    assert model._model.origin == "suite"
    spec = build_spec("plane_wrapper.py:Plane", metrics="eta2_arousal")
    assert api.evaluate(spec, tmp_path / "out")  # the empty predict_batch of the base class is not called


def test_a_file_named_base_belongs_to_no_package(tmp_path: Path) -> None:
    assert SuiteModules(f"{tmp_path}/base.py:Base", MODELS_PACKAGE).parent_package == ""
    assert SuiteModules(f"{tmp_path}/mine.py:Mine", MODELS_PACKAGE).parent_package == "models"
