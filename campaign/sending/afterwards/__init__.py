"""What is settled after sending. Begin with `reconciling`."""
