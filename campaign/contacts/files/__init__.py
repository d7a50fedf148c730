"""Where a table comes from and what it is; text files, parquet files and DataFrames become grids."""
