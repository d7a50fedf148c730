"""What the issues of a plan or a result know: the facts that their sentences name."""

import json


def facts_of(plan, code):
    """The facts of each issue with a code, in the order of the table of issues."""
    issues = plan.issues
    return [json.loads(facts) for facts in issues.loc[issues["code"] == code, "facts"]]


def fact_of(plan, code, name):
    """One fact of each issue with a code."""
    return [facts[name] for facts in facts_of(plan, code)]
