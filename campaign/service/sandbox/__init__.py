"""The embedded sandbox: a service of the same contract on this machine. Begin with `server`."""
