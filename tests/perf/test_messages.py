import pytest

from auricle.perf.load_patterns import FixedRate
from auricle.perf.messages import (
    LoadPointPlan,
    SenderMessage,
    SenderProgress,
    SenderResult,
    decode_message,
    encode_message,
)


@pytest.mark.parametrize("senders", [1, 2, 4, 7])
def test_senders_share_the_schedule_evenly(senders: int) -> None:
    due_times = FixedRate("poisson", 100).due_times(1000, seed=5)
    plan = LoadPointPlan(spec={}, load="poisson:100", folder="point", senders=senders)
    shares = [part.own_indices(len(due_times)) for part in plan.split_by_sender()]
    assert sorted(index for share in shares for index in share) == list(range(1000))
    assert max(map(len, shares)) - min(map(len, shares)) <= 1


def test_plan_survives_json() -> None:
    plan = LoadPointPlan(spec={"task": "qa"}, load="closed:2", folder="point", duration=5.0, senders=2, sender_index=1)
    assert decode_message(LoadPointPlan, encode_message(plan)) == plan


def test_total_seconds_include_warmup_and_cooldown() -> None:
    plan = LoadPointPlan(spec={}, load="closed:2", folder="point", duration=5.0, warmup=2.0, cooldown=1.0)
    assert plan.total_seconds == 8.0
    assert LoadPointPlan(spec={}, load="closed:2", folder="point", count=5).total_seconds is None


@pytest.mark.parametrize(
    "message",
    [
        SenderMessage(ready=True),
        SenderMessage(progress=SenderProgress(started=3, first_token_wait_seconds=0.5)),
        SenderMessage(result=SenderResult([0.1], [0.2, 0.3], [], 0.5, "interrupted")),
        SenderMessage(error={"kind": "DataError", "message": "no sample"}),
    ],
)
def test_messages_of_senders_survive_json(message: SenderMessage) -> None:
    assert decode_message(SenderMessage, encode_message(message)) == message


def test_progress_is_summed_over_senders() -> None:
    parts = [SenderProgress(2, 2, 1, 1, 0, 2, 0.5), SenderProgress(3, 4, 2, 0, 1, 3, 0.25)]
    assert SenderProgress.total(parts) == SenderProgress(5, 6, 3, 1, 1, 5, 0.75)
