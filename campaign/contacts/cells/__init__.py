"""Cells as text, the grid of them that every reader delivers, and the search for its header."""
