"""The tables of a ledger, as SQL.

They guard themselves, whichever program writes: checks for single values, triggers for moves and for what
must never change. `check_ledger` refuses a file whose tables differ from these.
"""

# In the file's header: it distinguishes a ledger from another program's database.
APPLICATION_ID = 0x434D504E  # "CMPN"

# States are compared one by one instead of with IN: for a list, SQLite would build a table at every move,
# which costs 3 microseconds each time. IS NOT TRUE instead of NOT: a comparison with NULL is neither true nor
# false.
SCHEMA = """
CREATE TABLE campaign (key TEXT PRIMARY KEY, value TEXT NOT NULL) STRICT, WITHOUT ROWID;
CREATE TABLE rounds (round INTEGER PRIMARY KEY, digest TEXT NOT NULL, at TEXT NOT NULL) STRICT;
CREATE TABLE batches (
    batch INTEGER PRIMARY KEY,
    round INTEGER NOT NULL,
    part INTEGER NOT NULL,
    first INTEGER NOT NULL,
    messages INTEGER NOT NULL,
    digest BLOB NOT NULL,
    state TEXT NOT NULL DEFAULT 'pending'
        CHECK (state = 'pending' OR state = 'sending' OR state = 'accepted' OR state = 'refused'
               OR state = 'unknown' OR state = 'again' OR state = 'withdrawn'),
    attempts INTEGER NOT NULL DEFAULT 0,
    cost TEXT CHECK (cost GLOB '[0-9]*' AND cost NOT GLOB '*[^0-9.]*' AND cost NOT GLOB '*.*.*'),
    code TEXT NOT NULL DEFAULT '',
    error TEXT NOT NULL DEFAULT '',
    submitted_at TEXT CHECK (submitted_at GLOB '[0-9][0-9][0-9][0-9]-[0-1][0-9]-[0-3][0-9]T*'),
    seconds REAL,
    note TEXT NOT NULL DEFAULT ''
) STRICT;
CREATE INDEX batches_by_part ON batches (round, part);
CREATE TABLE journal (
    id INTEGER PRIMARY KEY,
    at TEXT NOT NULL,
    batch INTEGER NOT NULL,
    was TEXT NOT NULL,
    now TEXT NOT NULL,
    error TEXT NOT NULL,
    note TEXT NOT NULL
) STRICT;
CREATE TRIGGER only_known_moves BEFORE UPDATE OF state ON batches
WHEN (
    old.state = 'pending' AND (new.state = 'sending' OR new.state = 'withdrawn')
    OR old.state = 'sending' AND (new.state = 'accepted' OR new.state = 'refused' OR new.state = 'unknown')
    OR old.state = 'unknown' AND new.note != ''
       AND (new.state = 'accepted' OR new.state = 'refused' OR new.state = 'again')
) IS NOT TRUE
BEGIN SELECT RAISE(ABORT, 'this move is not allowed'); END;
CREATE TRIGGER every_move_is_kept AFTER UPDATE OF state ON batches BEGIN
    INSERT INTO journal (at, batch, was, now, error, note)
    VALUES (strftime('%Y-%m-%dT%H:%M:%fZ', 'now'), new.batch, old.state, new.state, new.error, new.note);
END;
CREATE TRIGGER plan_is_frozen BEFORE UPDATE OF batch, round, part, first, messages ON batches
BEGIN SELECT RAISE(ABORT, 'the plan is frozen'); END;
CREATE TRIGGER digests_stay_until_erased BEFORE UPDATE OF digest ON batches
WHEN (new.digest = x'' AND (SELECT now FROM journal ORDER BY id DESC LIMIT 1) = 'erased') IS NOT TRUE
BEGIN SELECT RAISE(ABORT, 'the plan is frozen'); END;
CREATE TRIGGER batches_come_with_their_round BEFORE INSERT ON batches
WHEN (
    new.state = 'pending' AND new.attempts = 0 AND new.cost IS NULL
    AND new.batch = (SELECT coalesce(max(batch), 0) + 1 FROM batches)
    AND new.round = (SELECT coalesce(max(round), 0) + 1 FROM rounds)
) IS NOT TRUE
BEGIN SELECT RAISE(ABORT, 'the plan is frozen'); END;
CREATE TRIGGER batches_stay BEFORE DELETE ON batches
BEGIN SELECT RAISE(ABORT, 'batches are never deleted'); END;
CREATE TRIGGER rounds_follow_each_other BEFORE INSERT ON rounds
WHEN (new.round = (SELECT coalesce(max(round), 0) + 1 FROM rounds)) IS NOT TRUE
BEGIN SELECT RAISE(ABORT, 'rounds follow each other'); END;
CREATE TRIGGER only_the_last_round_waits BEFORE INSERT ON rounds
WHEN EXISTS (SELECT 1 FROM batches WHERE state = 'pending' AND round < new.round)
BEGIN SELECT RAISE(ABORT, 'batches of an earlier round still wait'); END;
CREATE TRIGGER every_round_is_kept AFTER INSERT ON rounds BEGIN
    INSERT INTO journal (at, batch, was, now, error, note)
    VALUES (new.at, 0, '', 'round', '', new.round);
END;
CREATE TRIGGER rounds_stay BEFORE UPDATE ON rounds
BEGIN SELECT RAISE(ABORT, 'rounds only grow'); END;
CREATE TRIGGER rounds_stay_whole BEFORE DELETE ON rounds
BEGIN SELECT RAISE(ABORT, 'rounds only grow'); END;
CREATE TRIGGER identity_is_frozen BEFORE UPDATE ON campaign
WHEN (old.key = 'machine' OR old.key = 'folder' OR old.key = 'account') IS NOT TRUE OR new.key != old.key
BEGIN SELECT RAISE(ABORT, 'whose ledger this is never changes'); END;
CREATE TRIGGER identity_is_given_once BEFORE INSERT ON campaign
WHEN EXISTS (SELECT 1 FROM campaign WHERE key = new.key)
BEGIN SELECT RAISE(ABORT, 'whose ledger this is never changes'); END;
CREATE TRIGGER identity_stays BEFORE DELETE ON campaign
BEGIN SELECT RAISE(ABORT, 'whose ledger this is never changes'); END;
CREATE TRIGGER journal_is_never_replaced BEFORE INSERT ON journal
WHEN EXISTS (SELECT 1 FROM journal WHERE id = new.id)
BEGIN SELECT RAISE(ABORT, 'the journal only grows'); END;
CREATE TRIGGER only_what_is_settled_is_erased BEFORE INSERT ON journal
WHEN new.now = 'erased' AND EXISTS (
    SELECT 1 FROM batches WHERE state = 'pending' OR state = 'sending' OR state = 'unknown'
)
BEGIN SELECT RAISE(ABORT, 'something waits or is unknown'); END;
CREATE TRIGGER nothing_follows_erasing BEFORE INSERT ON journal
WHEN (SELECT now FROM journal ORDER BY id DESC LIMIT 1) = 'erased'
BEGIN SELECT RAISE(ABORT, 'the campaign was erased'); END;
CREATE TRIGGER journal_stays BEFORE UPDATE OF id, at, batch, was, now ON journal
BEGIN SELECT RAISE(ABORT, 'the journal only grows'); END;
CREATE TRIGGER journal_texts_stay_until_erased BEFORE UPDATE OF error, note ON journal
WHEN (
    new.error = '' AND new.note = '' AND old.batch > 0
    AND (SELECT now FROM journal ORDER BY id DESC LIMIT 1) = 'erased'
) IS NOT TRUE
BEGIN SELECT RAISE(ABORT, 'the journal only grows'); END;
CREATE TRIGGER journal_stays_whole BEFORE DELETE ON journal
BEGIN SELECT RAISE(ABORT, 'the journal only grows'); END;
"""
