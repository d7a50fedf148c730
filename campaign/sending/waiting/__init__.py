"""Waiting for a run: what is shown meanwhile, and the signals that ask the program to end."""
