"""The extra `dev` is enough for `make quick`: it is small, and tests that need more name the extra they need."""

import pytest

from tests.support import extras
from tests.support.extras import declared_requirements, read_project, require_extra
from tests.support.fresh_environment import list_dependencies

HEAVY = {"altair", "datasets", "funasr", "pandas", "playwright", "ray", "streamlit", "torch", "transformers", "vllm"}


def test_the_extra_for_developers_brings_nothing_heavy() -> None:
    assert not list_dependencies(["auricle[dev]"]) & HEAVY


def test_everything_that_tests_can_need_is_installed_in_ci() -> None:
    needed_in_ci = {requirement.name for requirement in declared_requirements("test")}
    # Two need a graphics card, and one a torchaudio that fits the torch of the lock.
    for extra in read_project()["optional-dependencies"].keys() - {"vllm", "vision", "distillmos"}:
        assert {requirement.name for requirement in declared_requirements(extra)} <= needed_in_ci, extra


def test_a_missing_package_skips_the_test_with_the_name_of_the_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(extras, "is_installed", lambda _: False)
    with pytest.raises(pytest.skip.Exception, match=r"needs the extra 'ui': pip install -e '\.\[ui\]'"):
        require_extra("ui")


def test_an_installed_extra_skips_nothing() -> None:
    require_extra("dev")
