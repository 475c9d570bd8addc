"""The shape of the package: what imports what, how cheaply, and how large it grows."""

import pkgutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import auricle

HEAVY = ["torch", "numpy", "pandas", "soundfile", "aiohttp", "pydantic", "rich", "datasets"]
SOURCE = Path(auricle.__file__).parent


def loaded_after(code: Any) -> Any:
    told = f"import sys\n{code}\nprint([name for name in {HEAVY} if name in sys.modules])"
    done = subprocess.run([sys.executable, "-c", told], capture_output=True, text=True, check=True)
    return done.stdout.splitlines()[-1]


def test_importing_loads_nothing_heavy() -> None:
    assert loaded_after("import auricle") == "[]"


def test_help_loads_nothing_heavy() -> None:
    code = "from auricle.cli import cli\ncli(['run', '--help'], standalone_mode=False)"
    assert loaded_after(code) == "[]"


def test_declaring_a_metric_and_a_model_loads_no_numbers() -> None:
    code = "from auricle import BatchModel, metric, Generation, Audio, Sample"
    assert loaded_after(code) == "[]"


def test_no_public_name_hides_a_module() -> None:
    modules = {module.name for module in pkgutil.iter_modules(auricle.__path__)}
    assert not modules & set(auricle.__all__)


def test_every_public_name_is_there_and_in_order() -> None:
    assert auricle.__all__ == sorted(auricle.__all__)
    assert all(getattr(auricle, name) is not None for name in auricle.__all__)
    assert set(auricle.__all__) <= set(dir(auricle))


def test_no_file_grows_past_four_hundred_lines() -> None:
    long = {path: count for path in SOURCE.rglob("*.py") if (count := lines(path)) > 400}
    assert not long


def test_no_room_is_called_utils() -> None:
    names = {path.stem for path in SOURCE.rglob("*.py")}
    assert not names & {"utils", "util", "helpers", "common", "misc"}


def test_every_room_is_on_the_map() -> None:
    told = (SOURCE.parents[1] / "docs" / "design" / "README.md").read_text()
    rooms = {module.name for module in pkgutil.iter_modules(auricle.__path__)} - {"__main__"}
    assert not {name for name in rooms if f"`{name}`" not in told and f"`{name}/`" not in told}


def lines(path: Any) -> Any:
    return path.read_text().count("\n")


def test_looking_at_runs_and_names_loads_nothing_heavy(auricle: Any, manifest: Any) -> None:
    path = manifest([{"id": "1", "question": "x", "answer": "x"}])
    auricle("run", path, "--as", "qa", "-m", "echo", "-o", "run")
    run = str(path.parent / "run")
    for words in (["list", "models"], ["show", run], ["samples", run]):
        code = f"from auricle.cli import cli\ncli({words}, standalone_mode=False)"
        assert loaded_after(code) == "[]"
