"""What is said: findings, and the catalogues that say them to each audience. Begin with `finding`."""
