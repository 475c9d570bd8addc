"""Metrics of live calls: latency, turn taking, tool calls, task success and streaming recognition."""
