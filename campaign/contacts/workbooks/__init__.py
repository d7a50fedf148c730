"""Workbooks become grids, each part read under guard: .xlsx, .xlsm, .xls, .ods."""
