"""Log runs to experiment trackers, which features and other packages add."""
