"""The widgets of a dashboard or summary, found as a person would: by what they show."""


def widgets_in(widget):
    yield widget
    for child in getattr(widget, "children", ()):
        yield from widgets_in(child)


def find(panel, name):
    return next(widget for widget in widgets_in(panel) if f"campaign-{name}" in widget._dom_classes)


def html_of(panel):
    return "\n".join(str(getattr(widget, "value", "")) for widget in widgets_in(panel))
