"""Requests that exist only for a load test (`auricle perf --data`): synthetic ones, and those of a recorded trace."""
