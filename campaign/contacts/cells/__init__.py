"""What every reader delivers: cells as text in a grid, and which of its rows is the header."""
