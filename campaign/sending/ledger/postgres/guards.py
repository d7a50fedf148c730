"""The triggers that guard the tables of a ledger in PostgreSQL: the same rules as in a file (`schema`).

Each is a function and a trigger of the same name. The conditions are in the functions, whose text PostgreSQL
keeps as it was given, so that a ledger can be compared with this page whatever the version of the server.
"""

from __future__ import annotations

from typing import NamedTuple


class Guard(NamedTuple):
    """When it looks, which table it guards, and what it does."""

    event: str
    table: str
    body: str

    def trigger(self, name: str) -> str:
        """The SQL of the trigger, as PostgreSQL repeats it."""
        each = "STATEMENT" if "TRUNCATE" in self.event else "ROW"
        return f"CREATE TRIGGER {name} {self.event} ON {self.table} FOR EACH {each} EXECUTE FUNCTION {name}()"


def _refuse(reason: str, unless: str) -> str:
    """A body that refuses a change unless a condition is true; NULL is not true."""
    return f"""BEGIN
    IF ({unless}) IS NOT TRUE THEN
        RAISE EXCEPTION '{reason}' USING ERRCODE = 'integrity_constraint_violation';
    END IF;
    RETURN new;
END"""


def _never(reason: str) -> str:
    return f"""BEGIN
    RAISE EXCEPTION '{reason}' USING ERRCODE = 'integrity_constraint_violation';
END"""


# UTC in ISO form; a text, as in a file.
CLOCK = """SELECT to_char(clock_timestamp() AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')"""

_JOURNAL = "INSERT INTO journal (at, batch, was, now, error, note) VALUES"
_FROZEN = "the plan is frozen"
_GROWS = "the journal only grows"
_ERASED = "(SELECT now FROM journal ORDER BY id DESC LIMIT 1) = 'erased'"
_UNCHANGED = "whose ledger this is never changes"

GUARDS = {
    # Names matter: PostgreSQL calls the triggers of one event in the order of the alphabet.
    "facts_make_sense": Guard("BEFORE INSERT OR UPDATE", "batches", _refuse(
        "this fact cannot be",
        """
        new.state IN ('pending', 'sending', 'accepted', 'refused', 'unknown', 'again', 'withdrawn')
        AND (new.cost IS NULL OR new.cost ~ '^[0-9]+([.][0-9]*)?$')
        AND (new.submitted_at IS NULL OR new.submitted_at ~ '^[0-9]{4}-[0-1][0-9]-[0-3][0-9]T')
        """)),
    "only_known_moves": Guard("BEFORE UPDATE OF state", "batches", _refuse(
        "this move is not allowed",
        """
        old.state = 'pending' AND new.state IN ('sending', 'withdrawn')
        OR old.state = 'sending' AND new.state IN ('accepted', 'refused', 'unknown')
        OR old.state = 'unknown' AND new.note != '' AND new.state IN ('accepted', 'refused', 'again')
        """)),
    # The clocks of the machines that send may differ; that of the database is one.
    "the_database_tells_the_time": Guard("BEFORE UPDATE OF state", "batches", """BEGIN
    IF new.state = 'sending' THEN
        new.submitted_at := utc_now();
    END IF;
    RETURN new;
END"""),
    "every_move_is_kept": Guard("AFTER UPDATE OF state", "batches", f"""BEGIN
    {_JOURNAL} (utc_now(), new.batch, old.state, new.state, new.error, new.note);
    RETURN NULL;
END"""),
    "plan_is_frozen": Guard(
        "BEFORE UPDATE OF batch, round, part, first, messages", "batches", _never(_FROZEN)),
    "digests_stay_until_erased": Guard("BEFORE UPDATE OF digest", "batches", _refuse(
        _FROZEN, f"new.digest = '' AND {_ERASED}")),
    "only_what_waits_is_claimed": Guard("BEFORE UPDATE OF worker", "batches", _refuse(
        "only what waits can be claimed", "old.state = 'pending' AND new.state = 'pending'")),
    "batches_come_with_their_round": Guard("BEFORE INSERT", "batches", _refuse(
        _FROZEN,
        """
        new.state = 'pending' AND new.attempts = 0 AND new.cost IS NULL
        AND new.batch = (SELECT coalesce(max(batch), 0) + 1 FROM batches)
        AND new.round = (SELECT coalesce(max(round), 0) + 1 FROM rounds)
        """)),
    "batches_stay": Guard("BEFORE DELETE", "batches", _never("batches are never deleted")),
    "batches_stay_all": Guard("BEFORE TRUNCATE", "batches", _never("batches are never deleted")),
    "rounds_follow_each_other": Guard("BEFORE INSERT", "rounds", _refuse(
        "rounds follow each other", "new.round = (SELECT coalesce(max(round), 0) + 1 FROM rounds)")),
    "rounds_wait_alone": Guard("BEFORE INSERT", "rounds", _refuse(
        "batches of an earlier round still wait",
        "NOT EXISTS (SELECT FROM batches WHERE state = 'pending' AND round < new.round)")),
    "every_round_is_kept": Guard("AFTER INSERT", "rounds", f"""BEGIN
    {_JOURNAL} (new.at, 0, '', 'round', '', new.round);
    RETURN NULL;
END"""),
    "rounds_stay": Guard("BEFORE DELETE OR UPDATE", "rounds", _never("rounds only grow")),
    "rounds_stay_all": Guard("BEFORE TRUNCATE", "rounds", _never("rounds only grow")),
    "identity_is_frozen": Guard("BEFORE UPDATE", "campaign", _refuse(
        _UNCHANGED, "old.key IN ('machine', 'folder', 'account', 'holder') AND new.key = old.key")),
    "identity_is_given_once": Guard("BEFORE INSERT", "campaign", _refuse(
        _UNCHANGED, "NOT EXISTS (SELECT FROM campaign WHERE key = new.key)")),
    "identity_stays": Guard("BEFORE DELETE", "campaign", _never(_UNCHANGED)),
    "identity_stays_all": Guard("BEFORE TRUNCATE", "campaign", _never(_UNCHANGED)),
    "workers_go_for_good": Guard("BEFORE UPDATE", "workers", _refuse(
        "this worker is gone", "old.gone = '' AND new.worker = old.worker")),
    "workers_stay": Guard("BEFORE DELETE", "workers", _never("workers are never deleted")),
    # Numbered without gaps, so that the last number is how many moves there are.
    "journal_is_numbered": Guard("BEFORE INSERT", "journal", """BEGIN
    IF new.id IS NOT NULL THEN
        RAISE EXCEPTION 'the journal only grows' USING ERRCODE = 'integrity_constraint_violation';
    END IF;
    SELECT coalesce(max(id), 0) + 1 INTO new.id FROM journal;
    RETURN new;
END"""),
    "journal_stays": Guard("BEFORE UPDATE OF id, at, batch, was, now", "journal", _never(_GROWS)),
    "journal_texts_stay_until_erased": Guard("BEFORE UPDATE OF error, note", "journal", _refuse(
        _GROWS, f"new.error = '' AND new.note = '' AND old.batch > 0 AND {_ERASED}")),
    "nothing_follows_erasing": Guard("BEFORE INSERT", "journal", _refuse(
        "the campaign was erased", f"({_ERASED}) IS NOT TRUE")),
    "only_what_is_settled_is_erased": Guard("BEFORE INSERT", "journal", _refuse(
        "something waits or is unknown",
        """
        CASE WHEN new.now = 'erased'
        THEN NOT EXISTS (SELECT FROM batches WHERE state IN ('pending', 'sending', 'unknown')) ELSE true END
        """)),
    "journal_stays_whole": Guard("BEFORE DELETE", "journal", _never(_GROWS)),
    "journal_stays_all": Guard("BEFORE TRUNCATE", "journal", _never(_GROWS)),
}  # fmt: skip
