"""Simulations of τ-voice."""
