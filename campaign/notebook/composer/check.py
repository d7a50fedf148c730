"""The third section: who gets a text and who does not, and why."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pandas as pd
from ipywidgets import HTML, Layout, VBox

from campaign import markup
from campaign.environments import Environment
from campaign.errors import CampaignError
from campaign.messages.issues import CODES
from campaign.messages.plan import Plan
from campaign.notebook.composer.choice import QUESTIONS, Choice
from campaign.notebook.composer.desk import Desk
from campaign.notebook.composer.desk_words import FIELDS, desk_words
from campaign.notebook.composer.download import Download
from campaign.notebook.composer.fields import button, field, set_shown
from campaign.notebook.composer.section import Section, people
from campaign.results.follow_up_file import write_follow_up
from campaign.results.unsent_result import unsent_result
from campaign.text import agreeing, capitalised, counted, figure

_ROWS = 8  # row numbers named for each reason
_WHERE = {"local": "rehearsed on this machine", "sandbox": "sent to the provider's sandbox", "live": "sent"}

STYLE = """
.campaign .shares{display:flex;height:1.2em;border-radius:3px;overflow:hidden;max-width:34em}
.campaign .shares .bar{height:100%;min-width:2px}
.campaign .shares .duplicate,.campaign .shares .blank,.campaign .shares .opted_out{background:var(--quiet)}
"""


class CheckSection(Section):
    """Shows the plan in people, asks what is to be chosen, and offers the rows to correct."""

    def __init__(self, desk: Desk, done: Callable[[Section], None]) -> None:
        self._desk, self._done = desk, done
        self._drawn_line = ""  # what is shown, while the desk may have another plan already
        self._overview, self._reasons, self._before = HTML(), HTML(), HTML()
        self.choices = [Choice(question, self._answer) for question in QUESTIONS]
        self.opt_outs = field(
            FIELDS["opt_outs"], "opt-outs", "a file of numbers, such as stop.csv",
            written=lambda path: self._answer("opt_outs", path or None),
        )  # fmt: skip
        self.download = Download(
            "Download the rows to correct", "to_correct.xlsx", self._write_to_correct, self.show_problem
        )
        self._asked = VBox(layout=Layout(width="100%"))
        body = [
            self._overview, self._reasons, self.download, self._asked, self.opt_outs, self._before,
            button("Go on to sending", "go-on", self.finish, main=True),
        ]  # fmt: skip
        super().__init__(3, "Check", body)

    @property
    def line(self) -> str:
        """What was decided."""
        return self._drawn_line

    def enter(self) -> None:
        """Check everybody with what was decided above."""
        self._desk.prepared()
        self._draw()

    def finish(self) -> None:
        with self.problems_shown():
            self._done(self)

    @property
    def _plan(self) -> Plan:
        if self._desk.plan is None:
            return self._desk.prepared()
        return self._desk.plan

    @staticmethod
    def _sentence(plan: Plan) -> str:
        reached, others = plan.totals["not_sent"], plan.totals.rows - plan.totals["not_sent"]
        rest = "everybody does" if not others else f"{people(others)} {agreeing(others, 'does', 'do')} not"
        return f"{capitalised(people(reached))} {agreeing(reached, 'gets', 'get')} a text; {rest}"

    def _draw(self) -> None:
        plan = self._plan
        self._drawn_line = self._sentence(plan)
        self._overview.value = f"<style>{STYLE}</style>{markup.paragraph(self._drawn_line + '.')}" + _shares(
            plan
        )
        self._reasons.value = _reasons(plan)
        set_shown(self.download, plan.totals["invalid"] > 0)
        self._ask()
        self._before.value = "".join(map(markup.paragraph, self._compared()))

    def _ask(self) -> None:
        """Ask what the rows of this spreadsheet make necessary, with the effects of the answers."""
        plain = self._composed(overlong="flag", duplicates="skip", several="refuse")
        codes = {*plain.issues["code"].unique()}
        asked = [choice for choice in self.choices if codes & {*choice.question.codes}]
        for choice in asked:
            choice.ask(self._desk.composition, lambda name, answer: self._composed(**{name: answer}))
        self._asked.children = asked

    def _composed(self, **decisions: str) -> Plan:
        return replace(self._desk.composition, **decisions).plan(self._desk.contacts)  # type: ignore[arg-type]

    def _answer(self, parameter: str, answer: str | None) -> None:
        before = self._desk.composition
        with self.problems_shown():
            try:
                self._desk.decide(**{parameter: answer})
                self._desk.prepared()
            except CampaignError:
                self._desk.decide(**{parameter: getattr(before, parameter)})
                raise
            self._draw()

    def _compared(self) -> list[str]:
        """What was sent under this name before, wherever something was."""
        return [sentence for where in self._desk.accounts if (sentence := self._compared_in(where))]

    def _compared_in(self, where: Environment) -> str:
        try:
            difference = self._desk.composition.compare(self._plan, self._desk.accounts[where])
        except CampaignError:  # the section that sends says why
            return ""
        if difference.is_first:
            return ""
        return f"{capitalised(_WHERE[where])} before. {desk_words(difference.sentence)}"

    def _write_to_correct(self, path: Path) -> None:
        write_follow_up(unsent_result(self._plan, name=self._desk.name), path)


def _shares(plan: Plan) -> str:
    """One bar of all rows: who gets a text, then who does not, by kind; the kinds are named below it."""
    words = {
        "not_sent": "get a text", "invalid": "have to be corrected", "duplicate": "come twice",
        "blank": "are empty", "opted_out": "want no texts",
    }  # fmt: skip
    tones = {"not_sent": "good", "invalid": "bad"}
    counts = {status: plan.totals[status] for status in words if plan.totals[status]}
    legend = ", ".join(f"{figure(count)} {words[status]}" for status, count in counts.items())
    widths = {status: 100 * count / plan.totals.rows for status, count in counts.items()}
    bars = "".join(
        f'<div class="bar {tones.get(status, status)}" style="width:{width:.2f}%"></div>'
        for status, width in widths.items()
    )
    bar = f'<div class="shares" role="img" aria-label="{markup.escape(legend)}">{bars}</div>'
    return bar + markup.paragraph(f"{legend}.", note=True)


def _reasons(plan: Plan) -> str:
    """Why rows get no text: each reason with how many rows it has and which."""
    issues = plan.issues
    excluded = plan.contacts.index[plan.contacts["status"] != "not_sent"]
    issues = issues[
        issues["row"].isin(excluded) & ((issues["severity"] != "info") | (issues["code"] == "blank_row"))
    ]
    if issues.empty:
        return ""
    groups = issues.drop_duplicates(["row", "code"]).groupby(["code", "column"], sort=False)
    table = pd.DataFrame(
        {
            "people": groups.size(),
            "why": [_common_reason(str(code), details) for (code, _), details in groups["detail"]],
            "rows": groups["row"].agg(_named_rows),
        }
    ).sort_values("people", ascending=False, kind="stable")
    return markup.table(table.reset_index(drop=True), limit=len(table))


def _common_reason(code: str, details: pd.Series[str]) -> str:
    """The sentence of all these rows; where they differ, what they have in common."""
    return desk_words(details.iloc[0] if details.nunique() == 1 else f"{capitalised(CODES[code])}.")


def _named_rows(rows: pd.Series[int]) -> str:
    named = ", ".join(str(row) for row in rows.head(_ROWS))
    more = len(rows) - _ROWS
    return f"{named} and {counted(more, 'other')}" if more > 0 else named
