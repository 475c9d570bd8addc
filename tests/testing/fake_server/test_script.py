from collections import Counter
from typing import Any

import pytest

from auricle.core.errors import SpecError
from auricle.testing.fake_server import FAULTS, Script, compute_digest
from tests.support import paths

PAGE = (paths.DOCS / "fake-server.md").read_text(encoding="utf-8")


def test_jitter_is_bounded_and_differs_between_requests() -> None:
    script = Script(latency=1, jitter=0.5)
    delays = [script.draw_delay(compute_digest(bytes([number])), 1) for number in range(100)]
    assert all(1 <= delay <= 1.5 for delay in delays)
    assert len(set(delays)) == 100


def test_attempts_at_the_same_body_differ() -> None:
    script = Script(faults={"500": 0.5})
    assert {script.draw_fault(compute_digest(b"x"), attempt) for attempt in range(1, 30)} == {None, "500"}


def test_faults_depend_on_the_seed() -> None:
    def draw_faults(seed: int) -> list[str | None]:
        script = Script(faults={"500": 0.5}, seed=seed)
        return [script.draw_fault(compute_digest(bytes([number])), 1) for number in range(50)]

    assert draw_faults(0) == draw_faults(0)
    assert draw_faults(0) != draw_faults(1)


def test_faults_have_their_share() -> None:
    script = Script(faults={"429": 0.1, "cut": 0.05})
    counts = Counter(script.draw_fault(compute_digest(str(number).encode()), 1) for number in range(20_000))
    assert counts["429"] / 20_000 == pytest.approx(0.1, abs=0.01)
    assert counts["cut"] / 20_000 == pytest.approx(0.05, abs=0.01)


@pytest.mark.parametrize(
    ("fields", "message"),
    [
        ({"faults": {"418": 0.1}}, "Unknown fault '418'. Expected one of: 400"),
        ({"faults": {"429": 1.5}}, "must be between 0 and 1, not 1.5"),
        ({"faults": {"429": 0.6, "500": 0.6}}, "must not exceed 1; they add up to 1.2"),
        ({"latency": -1}, "latency must be 0 or more, not -1"),
        ({"pace": 0}, "pace must be more than 0, not 0"),
        ({"keep_alive": 0}, "keep_alive"),
        ({"slots": 0}, "slots"),
        ({"tokens_per_event": 0}, "tokens_per_event"),
        ({"usage_delay": -1}, "usage_delay"),
        ({"audio_pace": -1}, "audio_pace"),
        ({"audio_gaps": (0.1, -0.1)}, "audio_gaps"),
        ({"stall_at": -1}, "stall_at"),
        ({"reasoning": -1}, "reasoning"),
    ],
)
def test_invalid_script_is_rejected(fields: dict[str, Any], message: str) -> None:
    with pytest.raises(SpecError) as caught:
        Script(**fields)
    assert message in str(caught.value)


def test_every_fault_is_on_the_page() -> None:
    assert [kind for kind in FAULTS if f"`{kind}`" not in PAGE] == []


def test_every_field_is_an_option_on_the_page() -> None:
    fields = [name for name in Script.__dataclass_fields__ if name not in ("faults", "models")]
    options = ["--" + name.replace("audio_gaps", "audio_gap").replace("_", "-") for name in fields]
    assert [option for option in options if option not in PAGE] == []
