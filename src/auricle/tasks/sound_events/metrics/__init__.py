"""Metrics of sound event detection: what is heard, and when."""
