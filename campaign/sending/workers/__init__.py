"""Several programs send one campaign: `release` lets them, `worker` is one of them, `ordering` directs
all."""
