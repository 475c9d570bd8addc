from __future__ import annotations

from pathlib import Path

import pytest

from auricle.frameworks.aisbench.class_files import find_class_file

PACKAGE = "ais_bench.benchmark.models"


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    folder = tmp_path / "ais_bench" / "benchmark"
    (folder / "models" / "api_models").mkdir(parents=True)
    (folder / "configs").mkdir()
    (folder / "models" / "__init__.py").write_text("from .api_models.mine import Mine\n")
    (folder / "models" / "api_models" / "mine.py").write_text("class MineToo: ...\n\n\nclass Mine:\n    pass\n")
    return folder


@pytest.mark.parametrize("module", [PACKAGE, f"{PACKAGE}.api_models.mine"])
def test_a_class_is_found_in_the_checkout_of_the_config(checkout: Path, module: str) -> None:
    found_file = find_class_file(checkout / "configs" / "config.py", module, "Mine")
    assert found_file == checkout / "models" / "api_models" / "mine.py"


def test_a_class_is_found_beside_the_config(tmp_path: Path) -> None:
    (tmp_path / "classes.py").write_text("class Mine(Base):\n    pass\n")
    assert find_class_file(tmp_path / "config.py", PACKAGE, "Mine") == tmp_path / "classes.py"


def test_a_class_that_is_not_defined_is_not_found(checkout: Path) -> None:
    assert find_class_file(checkout / "configs" / "config.py", PACKAGE, "Min") is None
