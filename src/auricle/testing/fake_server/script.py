"""The behaviour of the fake server: its timing, and which requests fail and how."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from hashlib import blake2b

from auricle.core.errors import SpecError
from auricle.core.types import RejectedRow, Sample
from auricle.testing.fake_server.realtime.script import RealtimeScript

FAULTS: Mapping[str, str] = {
    "400": "invalid request",
    "401": "invalid key",
    "404": "unknown model",
    "408": "timeout reported by the server",
    "429": "too many requests, with Retry-After",
    "500": "server error",
    "503": "server overloaded",
    "drop": "connection closed without a reply",
    "cut": "connection closed half way through the reply",
    "html": "web page with status 200",
    "garbage": "invalid JSON with status 200",
    "hang": "no reply until the client disconnects",
    "endless": "reply that does not end until the client disconnects",
    "empty": "reply without text",
}
"""Description of every fault, in the order in which the shares are applied."""

NON_NEGATIVE_FIELDS = (
    *("latency", "jitter", "retry_after", "usage_delay", "accept_delay"),
    *("audio_pace", "stall_at", "stall_seconds", "reasoning"),
)
POSITIVE_FIELDS = ("pace", "audio_chunk_seconds", "keep_alive", "slots", "tokens_per_event")


def compute_digest(*pieces: bytes) -> str:
    """Return the digest that identifies a request's body in the counts and in the choice of faults.

    Args:
        pieces: Parts of the body, in order.

    Examples:
        >>> from auricle.testing.fake_server import compute_digest
        >>> compute_digest(b"hel", b"lo") == compute_digest(b"hello")
        True
    """
    state = blake2b(digest_size=16)
    for piece in pieces:
        state.update(piece)
    return state.hexdigest()


@dataclass(frozen=True, slots=True, kw_only=True)
class Script:
    """The behaviour of a `FakeServer`; the same script and requests give the same replies and faults.

    Args:
        reply: Text of every answer; by default it is derived from the request.
        answers: Samples whose recordings are answered with their targets. Default: those of the task `demo`.
        wrong: Share of words to get wrong in the answers to these recordings.
        latency: Seconds before a reply begins.
        jitter: Most seconds added to the latency.
        pace: Tokens per second when streaming; by default all at once.
        faults: Share of attempts that get each fault, such as `{"429": 0.1}`.
        fault_attempts: Most attempts at the same body that may get a fault; by default all.
        retry_after: Seconds that a 429 asks the client to wait.
        no_usage: Omit token counts.
        no_logprobs: Omit log-probabilities, even if they are requested.
        key: The only accepted API key; by default any request is accepted.
        models: The only models that exist; by default all do.
        capacity: Most concurrent requests; further ones get a 429.
        role_first: Start a stream on arrival, with an event that has a role and no content.
        keep_alive: Seconds of silence after which a stream sends a keep-alive event.
        tokens_per_event: Tokens per event of a stream.
        reasoning: Reasoning tokens before the answer.
        usage_delay: Seconds between the last content of a stream and its token counts and end.
        audio_chunk_seconds: Seconds of audio per event of a spoken answer; by default one event at the end.
        audio_pace: Seconds of audio sent per second; 0, as by default, for all chunks at once.
        audio_gaps: Delays of audio chunks in seconds, used in turn.
        slots: Most requests served at once; further ones wait, first come, first served.
        stall_at: Seconds after the first request at which all work pauses.
        stall_seconds: Length of that pause.
        accept_delay: Seconds before the first request on a new connection is read.
        record_times: Record when each request arrived and its response was sent, for `FakeServer.stats`.
        realtime: Behaviour of realtime sessions; by default there are none.
        seed: Chooses which attempts get faults, and their jitter.

    Raises:
        SpecError: A value is out of range, or a fault does not exist.

    Examples:
        >>> from auricle.testing import Script
        >>> script = Script(faults={"503": 1.0}, fault_attempts=1)
        >>> script.draw_fault("a body's digest", attempt=1), script.draw_fault("a body's digest", attempt=2)
        ('503', None)
    """

    reply: str | None = None
    answers: Iterable[Sample | RejectedRow] | None = None
    wrong: float = 0.0
    latency: float = 0.0
    jitter: float = 0.0
    pace: float | None = None
    faults: Mapping[str, float] = field(default_factory=dict)
    fault_attempts: int | None = None
    retry_after: float = 1.0
    no_usage: bool = False
    no_logprobs: bool = False
    key: str | None = None
    models: tuple[str, ...] = ()
    capacity: int | None = None
    role_first: bool = False
    keep_alive: float | None = None
    tokens_per_event: int = 1
    reasoning: int = 0
    usage_delay: float = 0.0
    audio_chunk_seconds: float | None = None
    audio_pace: float | None = None
    audio_gaps: tuple[float, ...] = ()
    slots: int | None = None
    stall_at: float | None = None
    stall_seconds: float = 0.0
    accept_delay: float = 0.0
    record_times: bool = False
    realtime: RealtimeScript | None = None
    seed: int = 0

    def __post_init__(self) -> None:
        self._check_faults()
        for name in NON_NEGATIVE_FIELDS:
            if (getattr(self, name) or 0.0) < 0:
                raise SpecError(f"{name} must be 0 or more, not {getattr(self, name):g}.")
        for name in POSITIVE_FIELDS:
            value = getattr(self, name)
            if value is not None and value <= 0:
                raise SpecError(f"{name} must be more than 0, not {value:g}.")
        if not 0 <= self.wrong <= 1:
            raise SpecError(f"wrong must be between 0 and 1, not {self.wrong:g}.")
        if min(self.audio_gaps, default=0.0) < 0:
            raise SpecError(f"audio_gaps must be 0 or more, not {min(self.audio_gaps):g}.")

    def _check_faults(self) -> None:
        for kind, share in self.faults.items():
            if kind not in FAULTS:
                raise SpecError(f"Unknown fault {kind!r}. Expected one of: {', '.join(FAULTS)}.")
            if not 0 <= share <= 1:
                raise SpecError(f"The share of fault {kind} must be between 0 and 1, not {share:g}.")
        if sum(self.faults.values()) > 1 + 1e-9:
            raise SpecError(
                f"The shares of all faults must not exceed 1; they add up to {sum(self.faults.values()):g}."
            )

    def draw_fault(self, digest: str, attempt: int) -> str | None:
        """Return the fault of an attempt (from 1) at a body; None if it has none."""
        if self.fault_attempts is not None and attempt > self.fault_attempts:
            return None
        remaining = self._draw("fault", digest, attempt)
        for kind in FAULTS:
            remaining -= self.faults.get(kind, 0.0)
            if remaining < 0:
                return kind
        return None

    def draw_delay(self, digest: str, attempt: int) -> float:
        """Return the seconds before the reply to an attempt (from 1) begins."""
        if not self.jitter:
            return self.latency
        return self.latency + self.jitter * self._draw("delay", digest, attempt)

    def _draw(self, purpose: str, digest: str, attempt: int) -> float:
        """Compute a pseudo-random number in [0, 1)."""
        text = f"{self.seed} {purpose} {digest} {attempt}"
        return int.from_bytes(blake2b(text.encode(), digest_size=6).digest(), "big") / 2**48
