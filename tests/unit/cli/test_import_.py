"""`auricle import`: task files from configs; results are tested in `tests/unit/interop`."""

from pathlib import Path

import pytest

from auricle.cli.import_ import import_tasks
from auricle.core.errors import SpecError

CONFIG = "task: quiz\ndataset_path: some/dataset\noutput_type: generate_until\ntest_split: test\n"


def test_config_of_a_framework_without_configs_is_refused(tmp_path: Path) -> None:
    with pytest.raises(SpecError, match="--from kimi imports results, not configs such as"):
        import_tasks(tmp_path / "quiz.yaml", "kimi", None, None)


def test_existing_task_file_is_not_overwritten(tmp_path: Path) -> None:
    source, out = tmp_path / "quiz.yaml", tmp_path / "out.yaml"
    source.write_text(CONFIG)
    out.write_text("mine")
    with pytest.raises(SpecError, match=r"File already exists: .*out\.yaml"):
        import_tasks(source, "lmms-eval", out, None)
    assert out.read_text() == "mine"
