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

-- name: before_append
-- All that decides whether an entry may be written, and the hash that it follows.
SELECT session.number, coalesce(newest.seq, -1) AS last, newest.hash,
    EXISTS (SELECT 1 FROM entry WHERE entry.session = session.number AND ask = $2) AS replied
FROM session LEFT JOIN LATERAL (
    SELECT seq, hash FROM entry WHERE entry.session = session.number ORDER BY seq DESC LIMIT 1
) AS newest ON true
WHERE id = $1;

-- name: append
-- Entry, list and notice in one: all are there, or none. It is written behind the entry with the hash $12 alone, and
-- who was faster is met by `one_place` or `one_reply`.
WITH written AS (
    INSERT INTO entry (session, seq, ask, hash, body)
    SELECT $1::bigint, $2::integer, $3::text, $4::bytea, $5::text
    WHERE EXISTS (SELECT 1 FROM entry WHERE session = $1 AND seq = $2 - 1 AND hash = $12)
    RETURNING session
), told AS (
    UPDATE session SET last = $2, phase = $6, round = $7, verdict = $8, waiting = $9
    WHERE number IN (SELECT session FROM written)
)
SELECT pg_notify($10, $11) FROM written;

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
