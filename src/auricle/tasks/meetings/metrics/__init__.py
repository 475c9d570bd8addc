"""Metrics of recordings with several speakers: who speaks when, and the words of each speaker."""
