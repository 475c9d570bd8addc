"""The metrics of a conversation between a scripted caller and a voice agent."""

from __future__ import annotations

from auricle.tasks.calls.metrics import latency, playback, success, transcripts, turn_taking

conversation = (
    success.task_success,
    success.call_completion,
    success.tool_calls,
    success.facts,
    latency.voice_to_voice,
    latency.voice_to_voice_p95,
    latency.first_byte_latency,
    latency.endpoint_delay,
    latency.think_time,
    latency.lead_silence,
    turn_taking.response_rate,
    turn_taking.barge_in_yield,
    turn_taking.barge_in_success,
    turn_taking.yield_latency,
    turn_taking.stop_signal_delay,
    turn_taking.false_yield_backchannel,
    turn_taking.false_yield_vocalisation,
    turn_taking.false_yield_aside,
    turn_taking.false_yield_noise,
    turn_taking.pause_handling,
    turn_taking.agent_interruption,
    turn_taking.overlap_share,
    turn_taking.talk_ratio,
    turn_taking.silence_share,
    playback.underruns,
    playback.truncation_error,
    transcripts.caller_wer,
    transcripts.agent_wer,
)
"""All of these metrics, for `--add-metrics conversation`. Those that do not apply to a call are not scored."""
