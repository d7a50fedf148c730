"""A result, or a list of campaigns, as one self-contained HTML page. Begin with `result_page`."""
