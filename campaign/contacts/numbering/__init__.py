"""The number plans of the world, run over whole columns: written, dialled, repaired, settled."""
