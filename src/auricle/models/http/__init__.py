"""What models behind an HTTP API share: bodies, patience, and how much to send at once."""
