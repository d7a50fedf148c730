"""Templates: parsed by `template`, filled by `filling`, rendered for whole columns by `rendering`."""
