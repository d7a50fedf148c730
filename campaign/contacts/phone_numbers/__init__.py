"""Whole columns of written numbers: `cleaning` takes them from `digit_extraction` to `decisions`."""
