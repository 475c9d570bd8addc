"""Check a realtime server against its protocol, step by step."""
