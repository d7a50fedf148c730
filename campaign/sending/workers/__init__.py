"""Several programs send one campaign: `release` lets them, `worker` is one of them, `ordering` directs
all. `cluster_senders` starts some on Dask workers."""
