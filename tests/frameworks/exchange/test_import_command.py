"""`auricle import`: task files from configs; results are tested in `tests/frameworks`."""

import json
from pathlib import Path

import pytest

from auricle.core.errors import SpecError
from auricle.frameworks.exchange.commands import import_tasks

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


@pytest.mark.parametrize(("out", "path"), [(None, None), ("tasks", "tasks/quiz.yaml")])
def test_json_describes_task_files(
    out: str | None,
    path: str | None,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("quiz.yaml").write_text(CONFIG)
    import_tasks(Path("quiz.yaml"), "lmms-eval", Path(out) if out else None, None, as_json=True)
    (document,) = json.loads(capsys.readouterr().out)
    assert (document["name"], document["path"]) == ("quiz", path)
    assert document["task"]["name"] == "quiz"
    assert path is None or Path(path).is_file()
