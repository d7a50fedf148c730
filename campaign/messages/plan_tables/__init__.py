"""The tables of a plan, in memory or on disk: begin with `plan_part`; `row_block` is where they are made."""
