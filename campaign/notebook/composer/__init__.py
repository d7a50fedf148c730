"""The form: a campaign by clicks and typing.

A change makes a new `Form`, `Facts` know what the package says of it, a page turns both into items, and
`page.js` draws these.
"""
