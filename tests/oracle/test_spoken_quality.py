"""SI-SDR against fast_bss_eval, and PESQ, STOI and ESTOI of noisy speech as recorded."""

from __future__ import annotations

import sys
from collections.abc import Callable
from importlib.resources import files
from pathlib import Path

import numpy as np
import pytest

from auricle import Audio, Generation, Sample
from auricle.metrics.base import Metric
from auricle.tasks.speech.metrics.full_reference import estoi, pesq_nb, pesq_wb, si_sdr, si_sdr_of, stoi
from tests.support.extras import require_extra


@pytest.fixture(scope="module", autouse=True)
def _extras() -> None:
    require_extra("oracles")
    require_extra("speech-quality")


@pytest.fixture(scope="module")
def oracle() -> Callable[[np.ndarray, np.ndarray], float]:
    """Return SI-SDR by fast_bss_eval, which loads PyTorch if it can, but does without."""
    import scipy.linalg  # noqa: F401 - it looks for PyTorch, too

    with pytest.MonkeyPatch.context() as patch:
        if "torch" not in sys.modules:
            patch.setitem(sys.modules, "torch", None)
        from fast_bss_eval import numpy as fast_bss_eval
    return lambda reference, answer: float(fast_bss_eval.si_sdr(reference[None], answer[None], zero_mean=True)[0])


@pytest.mark.parametrize("seed", range(20))
def test_si_sdr_is_that_of_fast_bss_eval(seed: int, oracle: Callable[[np.ndarray, np.ndarray], float]) -> None:
    random = np.random.default_rng(seed)
    length = int(random.integers(10, 5000))
    reference = random.standard_normal(length) + random.uniform(-2, 2)
    noise = 10 ** random.uniform(-1, 3) * random.standard_normal(length)
    answer = random.choice([-1, 1]) * random.uniform(0.3, 3) * reference + noise + random.uniform(-2, 2)
    assert si_sdr_of(reference, answer) == pytest.approx(oracle(reference, answer), abs=1e-9)


# White noise of `default_rng(0)` on a sentence of the demo, scaled to a peak of 0.7; by pesq 0.0.4 and pystoi 0.4.1.
RECORDED: dict[float, dict[str, float]] = {
    40: {"pesq_wb": 3.3330, "pesq_nb": 3.8783, "stoi": 0.9999, "estoi": 0.9994, "si_sdr": 40.0000},
    20: {"pesq_wb": 1.2635, "pesq_nb": 2.2879, "stoi": 0.9914, "estoi": 0.9530, "si_sdr": 19.9998},
    10: {"pesq_wb": 1.0477, "pesq_nb": 1.5393, "stoi": 0.9408, "estoi": 0.7968, "si_sdr": 9.9993},
    0: {"pesq_wb": 1.0201, "pesq_nb": 1.2170, "stoi": 0.8056, "estoi": 0.5432, "si_sdr": -0.0021},
    -5: {"pesq_wb": 1.0180, "pesq_nb": 1.1684, "stoi": 0.7123, "estoi": 0.4099, "si_sdr": -5.0038},
}


def test_noise_on_a_sentence_gives_the_recorded_numbers() -> None:
    folder = Path(str(files("auricle.tasks") / "demo" / "demo_speech"))
    clip = Audio(str(folder / "s01-clean.opus"))
    speech = clip.decode(16_000).astype(np.float64)
    speech *= 0.7 / np.abs(speech).max()
    noise = np.random.default_rng(0).standard_normal(len(speech))
    noise *= np.sqrt(np.mean(speech**2) / np.mean(noise**2))
    sample = Sample(id="1", inputs={"reference": Audio.of(speech, rate=16_000)})
    metrics: tuple[Metric, ...] = (pesq_wb, pesq_nb, stoi, estoi, si_sdr)
    for snr, expected in RECORDED.items():
        noisy = Generation(text="", audio=Audio.of(speech + 10 ** (-snr / 20) * noise, rate=16_000))
        values = {metric.name: metric.aggregate([metric.score(sample, noisy)]) for metric in metrics}
        assert values == pytest.approx(expected, abs=2e-3)
