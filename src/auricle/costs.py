"""What answers cost, from a file of prices."""
