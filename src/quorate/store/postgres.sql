-- Everything that Quorate says to PostgreSQL once its schema is there (`migrations/postgres` makes it), one named
-- statement after another. Names are looked up in one schema alone, which every connection sets as its search path.

-- name: find_session
SELECT number FROM session WHERE id = $1;

-- name: add_session
INSERT INTO session (id, protocol, title, opened_at, last, phase, round, verdict, waiting)
VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)
RETURNING number;

-- name: add_material
INSERT INTO material (digest, text) VALUES ($1, $2) ON CONFLICT DO NOTHING;

-- name: add_entry
INSERT INTO entry (session, seq, ask, hash, body) VALUES ($1, $2, $3, $4, $5);

-- name: before_extending
-- All that decides whether entries may be written, and the hash that the first of them follows.
SELECT session.number, coalesce(newest.seq, -1) AS last, newest.hash,
    (SELECT min(ask) FROM entry WHERE entry.session = session.number AND ask = ANY ($2::text[])) AS replied
FROM session LEFT JOIN LATERAL (
    SELECT seq, hash FROM entry WHERE entry.session = session.number ORDER BY seq DESC LIMIT 1
) AS newest ON true
WHERE id = $1;

-- name: extend
-- Entries, list and notice in one: all are there, or none. They are written behind the entry with the hash $3 alone,
-- and who was faster is met by `one_place` or `one_reply`.
WITH written AS (
    INSERT INTO entry (session, seq, ask, hash, body)
    SELECT $1::bigint, each.* FROM unnest($4::integer[], $5::text[], $6::bytea[], $7::text[]) AS each
    WHERE EXISTS (SELECT 1 FROM entry WHERE session = $1 AND seq = $2::integer - 1 AND hash = $3::bytea)
    RETURNING session
), told AS (
    UPDATE session SET last = $8, phase = $9, round = $10, verdict = $11, waiting = $12
    WHERE number IN (SELECT session FROM written)
)
SELECT pg_notify($13, $14) FROM written LIMIT 1;

-- name: one_entry
SELECT hash FROM entry WHERE session = $1 AND seq = $2 AND body = $3;

-- name: entries
-- One row with nothing but nulls says that there is such a session, without an entry that was asked for.
SELECT seq, body, hash FROM session LEFT JOIN entry ON entry.session = session.number AND seq > $2
WHERE id = $1 ORDER BY seq;

-- name: last_entry
SELECT coalesce(max(seq), -1) AS last FROM session LEFT JOIN entry ON entry.session = session.number
WHERE id = $1 GROUP BY number;

-- name: find_material
SELECT text FROM material WHERE digest = $1;

-- name: sessions
SELECT id, protocol, title, opened_at, last, phase, round, verdict, waiting FROM session
ORDER BY opened_at DESC, number DESC;

-- name: add_hosted
INSERT INTO hosted (session, marker) VALUES ($1, $2)
ON CONFLICT (session) DO UPDATE SET mark = nextval('mark'), marker = excluded.marker;

-- name: drop_hosted
DELETE FROM hosted WHERE session = $1;

-- name: hosted
SELECT id, protocol, title, opened_at, last, phase, round, verdict, waiting, mark
FROM hosted JOIN session ON session.number = hosted.session
WHERE marker = $1
ORDER BY opened_at DESC, number DESC;

-- name: find_lease
-- Who drives a session, until when, and what time it is: the server's clock counts, whatever those of machines say.
SELECT number, owner, until, (extract(epoch FROM clock_timestamp()) * 1000)::bigint AS now FROM session WHERE id = $1;

-- name: set_lease
-- Nobody else may have taken it since it was looked at.
UPDATE session SET owner = $2, until = $3
WHERE number = $1 AND owner IS NOT DISTINCT FROM $4 AND until IS NOT DISTINCT FROM $5
RETURNING 1;

-- name: drop_lease
UPDATE session SET owner = NULL, until = NULL WHERE id = $1 AND owner = $2;

-- name: take_slot
-- The highest free slot under a name, of so many, but none of those that this connection has already: those it would get
-- once more. CASE keeps the order in which that is looked at.
SELECT number FROM generate_series($2::int - 1, 0, -1) AS number
WHERE CASE WHEN number = ANY ($3::int[]) THEN false
      ELSE pg_try_advisory_lock(hashtextextended($1::text || ' ' || number, 0)) END
LIMIT 1;

-- name: give_slot
SELECT pg_advisory_unlock(hashtextextended($1::text || ' ' || $2::int, 0));
