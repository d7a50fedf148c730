"""The campaign folder: what is frozen on disk, and how it is read again. Begin with `folder`."""
