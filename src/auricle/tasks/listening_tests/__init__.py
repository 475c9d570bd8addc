"""Listening tests: people rate or compare the sounds of several systems without knowing which is which."""
