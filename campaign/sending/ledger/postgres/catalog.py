"""What PostgreSQL says of the tables of a ledger, to be compared with what they should be."""

from __future__ import annotations

from functools import cache

from sqlalchemy.dialects import postgresql

from campaign.sending.ledger.database import Connection
from campaign.sending.ledger.postgres.guards import CLOCK, GUARDS
from campaign.sending.ledger.postgres.tables import TABLES

# Functions and triggers as they were written: nothing in them is PostgreSQL's own way of writing SQL, which
# differs between versions. The name of the schema is left out.
_CATALOG = """
WITH place AS (SELECT oid, nspname FROM pg_namespace WHERE nspname = :schema)
SELECT 'column ' || c.relname || '.' || a.attname || ' ' || format_type(a.atttypid, a.atttypmod)
       || CASE WHEN a.attnotnull THEN ' NOT NULL' ELSE '' END
       || coalesce(' DEFAULT ' || pg_get_expr(d.adbin, d.adrelid), '')
FROM place JOIN pg_class c ON c.relnamespace = place.oid AND c.relkind != 'i'
JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped
LEFT JOIN pg_attrdef d ON d.adrelid = c.oid AND d.adnum = a.attnum
UNION ALL
SELECT 'constraint ' || c.relname || ' ' || pg_get_constraintdef(k.oid)
FROM place JOIN pg_class c ON c.relnamespace = place.oid JOIN pg_constraint k ON k.conrelid = c.oid
WHERE k.contype != 'n'
UNION ALL
SELECT replace(pg_get_triggerdef(t.oid), place.nspname || '.', '')
       || CASE t.tgenabled WHEN 'O' THEN '' ELSE ' disabled' END
FROM place JOIN pg_class c ON c.relnamespace = place.oid JOIN pg_trigger t ON t.tgrelid = c.oid
WHERE NOT t.tgisinternal
UNION ALL
SELECT 'function ' || p.proname || ' ' || p.prosrc || ' '
       || coalesce(replace(array_to_string(p.proconfig, ' '), place.nspname, 'schema'), '')
FROM place JOIN pg_proc p ON p.pronamespace = place.oid
UNION ALL
SELECT 'rule ' || r.rulename
FROM place JOIN pg_class c ON c.relnamespace = place.oid JOIN pg_rewrite r ON r.ev_class = c.oid
"""


def catalog_of(connection: Connection, schema: str) -> frozenset[str]:
    """Columns, keys, triggers, functions and rules of a schema; empty if there is none."""
    return frozenset(line for (line,) in connection.execute(_CATALOG, {"schema": schema}))


@cache
def expected_catalog() -> frozenset[str]:
    """What `catalog_of` returns for a sound ledger."""
    lines = [f"function utc_now {CLOCK} "]
    for table in TABLES:
        for column in table.columns:
            kind = str(column.type.compile(postgresql.dialect())).lower()  # type: ignore[no-untyped-call] # see place
            required = "" if column.nullable else " NOT NULL"
            given = getattr(column.server_default, "arg", None)
            default = "" if given is None else f" DEFAULT {given}"
            lines.append(f"column {table.name}.{column.name} {kind}{required}{default}")
        keys = ", ".join(column.name for column in table.primary_key)
        lines.append(f"constraint {table.name} PRIMARY KEY ({keys})")
    for name, guard in GUARDS.items():
        lines.append(guard.trigger(name))
        lines.append(f"function {name} {guard.body} search_path=schema, pg_temp")
    return frozenset(lines)
