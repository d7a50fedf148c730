"""No part of a page takes the place of what its widget does with itself."""

from importlib import import_module
from pkgutil import walk_packages

from ipywidgets import Widget

import campaign.notebook


def test_no_private_method_of_ours_hides_one_of_the_widgets():
    """`_compare` did: the widget could not be shown in an error or a debugger."""
    for module in walk_packages(campaign.notebook.__path__, "campaign.notebook."):
        import_module(module.name)
    kinds = [Widget]
    for kind in kinds:
        kinds += kind.__subclasses__()
    ours = [kind for kind in kinds if kind.__module__.startswith("campaign.")]
    hidden = [
        f"{kind.__name__}.{name}"
        for kind in ours
        for name, member in vars(kind).items()
        if name.startswith("_") and not name.startswith("__") and callable(member)
        and any(hasattr(base, name) for base in kind.__mro__ if not base.__module__.startswith("campaign."))
    ]  # fmt: skip
    assert len(ours) >= 8
    assert hidden == []
