"""Log runs to experiment trackers, while they go on or afterwards."""
