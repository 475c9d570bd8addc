"""Load tests: send requests at planned times and measure serving performance."""
