"""Where batch work runs: in this process, on Dask, on Ray."""
