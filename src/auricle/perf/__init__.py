"""Serving performance: load that is offered as planned, times that mean what they say."""
