"""Sharded runs: their plan, leases, files and completions; nothing about models."""
