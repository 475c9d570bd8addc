import numpy as np
import pytest

from auricle.perf.health import SenderHealth


def test_health_summarises_samples() -> None:
    lags = (np.arange(101) / 1000).tolist()
    health = SenderHealth.from_samples(lags=lags, lateness=[0.0, 1.5], cpu_share=[0.5])
    assert (health.lag_p50_s, health.lag_p99_s, health.lag_max_s) == pytest.approx((0.05, 0.099, 0.1))
    assert health.late_count == 1
    assert health.idle_lag_p99_s is None


def test_health_converts_to_json_types() -> None:
    document = SenderHealth.from_samples(cpu_share=[0.5, 0.25], stopped="interrupted").to_dict()
    assert document["cpu_share"] == [0.5, 0.25]
    assert document["stopped"] == "interrupted"
    assert document["lag_p99_s"] is None
