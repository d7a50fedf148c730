"""Each row's text: the one there is, or the one of the row's language."""

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc

from campaign.arrow_text import Ints, series_to_array
from campaign.messages.issues import Findings
from campaign.messages.templates.character_issues import describe
from campaign.messages.templates.rendering import Rendered, merge, render_message
from campaign.messages.wording import Wording


def describe_texts(wording: Wording, contacts: pd.DataFrame, findings: Findings) -> None:
    """Say once what is true of the texts themselves, and which of them no row uses."""
    used = set(_languages(contacts, wording.language)) if wording.language else set(wording.texts)
    for language, template in wording.texts.items():
        describe(template, findings, what=_what(language), downgrade=wording.downgrade)
        if language not in used and wording.language:
            detail = f'No row has the language "{language}", so its text is not used.'
            findings.add_for_table(wording.language, language, "unused_text", "warning", detail)


def render_texts(wording: Wording, contacts: pd.DataFrame, findings: Findings) -> Rendered:
    """Each row's message; a row whose language has no text is excluded."""
    if wording.language is None:
        everyone = np.arange(len(contacts))
        return render_message(wording.texts[""], contacts, everyone, findings, downgrade=wording.downgrade)
    rows_by_language = _languages(contacts, wording.language)
    groups: list[tuple[Ints, Rendered]] = []
    for language, template in wording.texts.items():
        rows = rows_by_language.pop(language, None)
        if rows is not None:
            made = render_message(
                template, contacts, rows, findings, what=_what(language), downgrade=wording.downgrade
            )
            groups.append((rows, made))
    lost = np.sort(np.concatenate([np.empty(0, dtype=np.int64), *rows_by_language.values()]))
    names = ", ".join(wording.texts)
    detail = f'There is no text for the language in "{wording.language}". There are texts for {names}.'
    cells = series_to_array(contacts[wording.language]).take(pa.array(lost))
    findings.add(lost, wording.language, cells, "no_text", "error", detail, status="invalid")
    return merge(groups, len(contacts))


def _what(language: str) -> str:
    return f'message for "{language}"' if language else "message"


def _languages(contacts: pd.DataFrame, name: str) -> dict[str, Ints]:
    """The rows of each language, by its name in lower case."""
    cells = pc.utf8_lower(pc.utf8_trim_whitespace(series_to_array(contacts[name]))).dictionary_encode()
    indices = cells.indices.to_numpy()
    return {text: np.flatnonzero(indices == place) for place, text in enumerate(cells.dictionary.to_pylist())}
