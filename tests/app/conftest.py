"""Skip the tests of the app without Streamlit, and give them their fixtures with it."""

from tests.support.extras import is_installed, require_extra

if is_installed("ui"):
    from tests.support.app_fixtures import _skip_component_scan as _skip_component_scan
    from tests.support.app_fixtures import draw as draw
    from tests.support.app_fixtures import hostile_runs as hostile_runs
    from tests.support.app_fixtures import load_test as load_test
    from tests.support.app_fixtures import page_cache as page_cache
    from tests.support.app_fixtures import runs as runs
    from tests.support.app_fixtures import started_commands as started_commands
    from tests.support.app_fixtures import workspace as workspace


def pytest_pycollect_makemodule() -> None:
    """Skip every file of this folder: a conftest file itself cannot be skipped."""
    require_extra("ui")
