"""Fake realtime servers: calls over WebSocket whose every event has a known time."""
