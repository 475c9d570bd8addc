from pathlib import Path

import pytest

from auricle.core.errors import DataError
from tests.support.framework_results import HYPOTHESES, failures, import_single, write_lmms_eval


def test_a_failed_request_is_a_failure(tmp_path: Path) -> None:
    answer = "[LMMS_EVAL_REQUEST_FAILED after 5 retries] 429 too many requests"
    path = write_lmms_eval(tmp_path / "results", [answer, *HYPOTHESES[1:]])
    run, _ = import_single(path, "lmms-eval", tmp_path / "run")
    assert failures(run) == [("NotAnswered", "429 too many requests")]


def test_likelihoods_cannot_be_imported(tmp_path: Path) -> None:
    path = write_lmms_eval(tmp_path, [["-1.0", "False"], *HYPOTHESES[1:]])
    with pytest.raises(DataError, match=r":1 has 2 answers\. Only one text per sample"):
        import_single(path, "lmms-eval", tmp_path / "run")
