"""The same operations from a shell. Begin with `main` and `arguments`."""
