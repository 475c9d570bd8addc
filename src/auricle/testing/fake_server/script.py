"""What the server is to do, decided before it starts: how fast, and which requests fail how."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from hashlib import blake2b

from auricle.core.errors import SpecError

FAULTS: Mapping[str, str] = {
    "400": "a refusal of the request",
    "401": "a refusal of the key",
    "404": "a refusal of the model",
    "408": "a timeout told by the server",
    "429": "too many requests, with Retry-After",
    "500": "an error of the server",
    "503": "an overloaded server",
    "drop": "the connection closed without a reply",
    "cut": "a reply broken off half way",
    "html": "a web page with status 200",
    "garbage": "invalid JSON with status 200",
    "hang": "no reply until the client goes",
    "endless": "a reply that does not end until the client goes",
    "empty": "a reply without words",
}
"""Every fault and what it is, in the order in which shares are dealt out."""

NON_NEGATIVE_FIELDS = (
    *("latency", "jitter", "retry_after", "usage_delay", "accept_delay"),
    *("stall_at", "stall_seconds", "reasoning"),
)
POSITIVE_FIELDS = ("pace", "audio_pace", "audio_chunk_seconds", "keep_alive", "slots", "tokens_per_event")


def compute_digest(*pieces: bytes) -> str:
    """What stands for a request's body in the dice and in the counts."""
    state = blake2b(digest_size=16)
    for piece in pieces:
        state.update(piece)
    return state.hexdigest()


@dataclass(frozen=True, slots=True, kw_only=True)
class Script:
    """How the server behaves; the same script and requests give the same replies and faults."""

    reply: str | None = None
    """What to answer; by default the request decides."""
    latency: float = 0.0
    """Seconds before a reply begins."""
    jitter: float = 0.0
    """The most seconds added to the latency."""
    pace: float | None = None
    """Tokens a second when streaming, from the first on; by default all at once."""
    faults: Mapping[str, float] = field(default_factory=dict)
    """The share of attempts that meets each fault; see `FAULTS`."""
    fault_attempts: int | None = None
    """How many attempts at one body may meet a fault; by default all."""
    retry_after: float = 1.0
    """Seconds a 429 asks the client to wait."""
    no_usage: bool = False
    """Tell no token counts."""
    no_logprobs: bool = False
    """Tell no log-probabilities, of a prompt or of an answer, whatever is asked for."""
    key: str | None = None
    """The only key that is let in; by default all are, and none."""
    models: tuple[str, ...] = ()
    """The only models there are; by default all."""
    capacity: int | None = None
    """The most requests at once; one more meets a 429."""
    role_first: bool = False
    """Begin a stream on arrival with an event that tells a role and no words."""
    keep_alive: float | None = None
    """Seconds after which a stream that has nothing to say tells that it lives."""
    tokens_per_event: int = 1
    reasoning: int = 0
    """Tokens of thought before the first word."""
    usage_delay: float = 0.0
    """Seconds between the last words of a stream and its token counts and end."""
    audio_chunk_seconds: float | None = None
    """Seconds of sound in an event of a spoken answer; by default all is in one, at the end."""
    audio_pace: float | None = None
    """Seconds of sound a second; by default all chunks at once."""
    audio_gaps: tuple[float, ...] = ()
    """Seconds that chunks of sound come late, by turns."""
    slots: int | None = None
    """The most requests served at once; others wait for their turn, first come, first served."""
    stall_at: float | None = None
    """Seconds after the first request at which all work rests."""
    stall_seconds: float = 0.0
    """For how long."""
    accept_delay: float = 0.0
    """Seconds before the first request on a new connection is heard."""
    record_times: bool = False
    """Keep when each request came and its reply left, for `stats`."""
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
        if min(self.audio_gaps, default=0.0) < 0:
            raise SpecError(f"audio_gaps must be 0 or more, not {min(self.audio_gaps):g}.")

    def _check_faults(self) -> None:
        for kind, share in self.faults.items():
            if kind not in FAULTS:
                raise SpecError(f"No fault is called {kind!r}. There are: {', '.join(FAULTS)}.")
            if not 0 <= share <= 1:
                raise SpecError(f"The share of fault {kind} must lie in 0..1, not {share:g}.")
        if sum(self.faults.values()) > 1 + 1e-9:
            raise SpecError(f"Shares of faults add up to {sum(self.faults.values()):g}; 1 is all.")

    def draw_fault(self, digest: str, attempt: int) -> str | None:
        """The fault that the nth attempt (from 1) at a body meets, if any."""
        if self.fault_attempts is not None and attempt > self.fault_attempts:
            return None
        drawn = self._draw("fault", digest, attempt)
        for kind in FAULTS:
            drawn -= self.faults.get(kind, 0.0)
            if drawn < 0:
                return kind
        return None

    def draw_delay(self, digest: str, attempt: int) -> float:
        """Seconds before the reply to the nth attempt begins."""
        if not self.jitter:
            return self.latency
        return self.latency + self.jitter * self._draw("delay", digest, attempt)

    def _draw(self, purpose: str, digest: str, attempt: int) -> float:
        """A number in 0..1 that looks drawn and is computed."""
        text = f"{self.seed} {purpose} {digest} {attempt}"
        return int.from_bytes(blake2b(text.encode(), digest_size=6).digest(), "big") / 2**48
