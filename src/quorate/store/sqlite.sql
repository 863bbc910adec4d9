-- Everything that Quorate says to SQLite, one named statement after another. The data are plain: open the file with
-- any SQLite tool and read `journal`. Needs SQLite 3.26 or later (no STRICT tables, no RETURNING).

-- name: schema
-- Sessions by number; `number` stands for the id in every entry, because it takes one byte instead of thirty.
CREATE TABLE session (
    number    INTEGER PRIMARY KEY,
    id        TEXT    NOT NULL UNIQUE,
    protocol  TEXT    NOT NULL,
    title     TEXT    NOT NULL,
    opened_at INTEGER NOT NULL,             -- milliseconds since 1970 (UTC)
    last      INTEGER NOT NULL,             -- the sequence of its last entry; this and the next four are for lists
    phase     TEXT    NOT NULL,
    round     INTEGER NOT NULL,
    verdict   TEXT    NOT NULL,
    waiting   TEXT    NOT NULL,             -- seats, separated by commas
    owner     TEXT,                         -- who drives it
    until     INTEGER                       -- and until when, in milliseconds since 1970 (UTC)
);
-- The sessions that processes which host sessions are to drive; few, and looked at all the time.
CREATE TABLE hosted (
    session INTEGER PRIMARY KEY REFERENCES session,
    mark    INTEGER NOT NULL,               -- another one each time that it is marked: the nanoseconds since 1970 (UTC)
    marker  TEXT    NOT NULL                -- who has marked it; the marks of others do not count
);
-- Entries in order of arrival, so that pages fill up whatever sessions run side by side.
CREATE TABLE entry (
    session INTEGER NOT NULL REFERENCES session,
    seq     INTEGER NOT NULL,
    ask     TEXT,                           -- the ask it replies to, if it is a reply
    hash    BLOB    NOT NULL,               -- SHA-256 of the previous hash in hexadecimal, a line feed, and the body
    body    TEXT    NOT NULL                -- canonical JSON
);
-- Two processes can never both extend a journal, and a reply is never counted twice.
CREATE UNIQUE INDEX one_place ON entry (session, seq);
CREATE UNIQUE INDEX one_reply ON entry (session, ask) WHERE ask IS NOT NULL;
-- Texts that are deliberated about, once each.
CREATE TABLE material (
    digest BLOB PRIMARY KEY,                -- SHA-256 of the text in UTF-8
    text   TEXT NOT NULL
) WITHOUT ROWID;
-- For people who open the file.
CREATE VIEW journal AS
    SELECT id AS session, seq, ask, body, lower(hex(hash)) AS hash
    FROM entry JOIN session ON session.number = entry.session
    ORDER BY session.number, seq;

-- name: to_version_2
-- What a file of version 1 lacks: it knew no hosts.
CREATE TABLE hosted (
    session INTEGER PRIMARY KEY REFERENCES session,
    mark    INTEGER NOT NULL,               -- another one each time that it is marked: the nanoseconds since 1970 (UTC)
    marker  TEXT    NOT NULL                -- who has marked it; the marks of others do not count
);

-- name: find_session
SELECT number FROM session WHERE id = ?;

-- name: add_session
INSERT INTO session (id, protocol, title, opened_at, last, phase, round, verdict, waiting)
VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?);

-- name: find_reply
SELECT 1 FROM entry WHERE session = ? AND ask = ?;

-- name: head
-- The last entry of a session; -1 and nothing where it has none.
SELECT number, coalesce(seq, -1), coalesce(hash, x'')
FROM session LEFT JOIN entry ON entry.session = session.number
WHERE id = ? ORDER BY seq DESC LIMIT 1;

-- name: add_entry
INSERT INTO entry (session, seq, ask, hash, body) VALUES (?, ?, ?, ?, ?);

-- name: set_status
UPDATE session SET last = ?, phase = ?, round = ?, verdict = ?, waiting = ? WHERE number = ?;

-- name: entries
-- One row without an entry where the session has none that is so late.
SELECT seq, body, hash FROM session LEFT JOIN entry ON entry.session = session.number AND seq > ?
WHERE id = ? ORDER BY seq;

-- name: add_material
INSERT OR IGNORE INTO material (digest, text) VALUES (?, ?);

-- name: find_material
SELECT text FROM material WHERE digest = ?;

-- name: sessions
SELECT id, protocol, title, opened_at, last, phase, round, verdict, waiting FROM session
ORDER BY opened_at DESC, number DESC;

-- name: add_hosted
INSERT OR REPLACE INTO hosted (session, mark, marker) VALUES (?, ?, ?);

-- name: drop_hosted
DELETE FROM hosted WHERE session = ?;

-- name: hosted
SELECT id, protocol, title, opened_at, last, phase, round, verdict, waiting, mark
FROM hosted CROSS JOIN session ON session.number = hosted.session
WHERE marker = ?
ORDER BY opened_at DESC, number DESC;

-- name: one_session
-- What is left to do where the list as a whole cannot be read.
SELECT id, protocol, title, opened_at, last, phase, round, verdict, waiting FROM session WHERE number = ?;

-- name: most_sessions
SELECT max(session) FROM entry;

-- name: find_lease
SELECT number, owner, until FROM session WHERE id = ?;

-- name: take_lease
UPDATE session SET owner = ?, until = ? WHERE id = ? AND (owner IS NULL OR owner = ?);

-- name: set_lease
UPDATE session SET owner = ?, until = ? WHERE number = ?;

-- name: drop_lease
UPDATE session SET owner = NULL, until = NULL WHERE id = ? AND owner = ?;
