"""`auricle export`: formats and folders."""

import json
from pathlib import Path
from subprocess import CompletedProcess

from tests.support.cli_types import RunAuricle


def test_default_folder_is_named_after_the_framework(
    auricle: RunAuricle, finished: CompletedProcess[str], tmp_path: Path
) -> None:
    done = auricle("export", "run", "--as", "kimi")
    assert done.returncode == 0, done.stderr
    paths = [tmp_path / line for line in done.stdout.splitlines()]
    assert paths
    assert all(path.is_file() and (tmp_path / "run" / "kimi") in path.parents for path in paths)


def test_unknown_framework_is_refused(auricle: RunAuricle, finished: CompletedProcess[str]) -> None:
    done = auricle("export", "run", "--as", "kimmi")
    assert done.returncode == 2
    assert "'kimmi' is not one of" in done.stderr


def test_json_names_the_files(auricle: RunAuricle, finished: CompletedProcess[str], tmp_path: Path) -> None:
    document = json.loads(auricle("export", "run", "--as", "kimi", "--json").stdout)
    assert (document["run"], document["format"]) == ("run", "kimi")
    assert all((tmp_path / path).is_file() for path in document["files"])
