"""Metrics of the words that matter: listed words, entities, numbers, written form, languages and meaning."""
