import sys
from pathlib import Path

from auricle.interop.aisbench import resolve_inferencer_factory

CLASSES = Path(__file__).with_name("aisbench_classes.py")


def test_stubs_exist_only_while_a_class_is_imported() -> None:
    resolve_inferencer_factory(f"{CLASSES}:Api")
    assert not [name for name in sys.modules if name.partition(".")[0] == "ais_bench"]


def test_stub_classes_exist_once() -> None:
    bases = []
    for _ in range(2):
        resolve_inferencer_factory(f"{CLASSES}:Api")
        bases.append(sys.modules["auricle_file_aisbench_classes"].BaseApiInferencer)
    assert bases[0] is bases[1]
