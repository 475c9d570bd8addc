from pathlib import Path

import numpy as np
import pytest

from auricle.perf.health import summarise_health
from auricle.runs.perf_files import read_health, write_health


def test_health_summarises_samples() -> None:
    lags = (np.arange(101) / 1000).tolist()
    health = summarise_health(lags=lags, lateness=[0.0, 1.5], cpu_share=[0.5])
    assert (health.lag_p50_s, health.lag_p99_s, health.lag_max_s) == pytest.approx((0.05, 0.099, 0.1))
    assert health.late_count == 1
    assert health.idle_lag_p99_s is None


def test_health_survives_its_file(tmp_path: Path) -> None:
    health = summarise_health(cpu_share=[0.5, 0.25], stopped="interrupted")
    write_health(tmp_path, health)
    assert read_health(tmp_path) == health
