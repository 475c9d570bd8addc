"""Evaluate anything that listens."""
