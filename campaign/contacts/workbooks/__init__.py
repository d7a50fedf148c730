"""Workbooks become grids, each part checked while it is read: .xlsx, .xlsm, .xls, .ods."""
