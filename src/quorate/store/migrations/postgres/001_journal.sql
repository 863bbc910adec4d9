-- The journal: sessions, their entries, the texts they are about, and who is to drive them.

-- Sessions by number; `number` stands for the id in every entry, because it takes eight bytes instead of thirty.
CREATE TABLE session (
    number    bigint  GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    id        text    NOT NULL UNIQUE,
    protocol  text    NOT NULL,
    title     text    NOT NULL,
    opened_at bigint  NOT NULL,             -- milliseconds since 1970 (UTC)
    last      integer NOT NULL,             -- the sequence of its last entry; this and the next four are for lists
    phase     text    NOT NULL,
    round     integer NOT NULL,
    verdict   text    NOT NULL,
    waiting   text    NOT NULL,             -- seats, separated by commas
    owner     text,                         -- who drives it
    until     bigint                        -- and until when, in milliseconds since 1970 (UTC) of this server's clock
);

-- Entries; two processes can never both extend a journal, and a reply is never counted twice.
CREATE TABLE entry (
    session bigint  NOT NULL REFERENCES session,
    seq     integer NOT NULL,
    ask     text,                           -- the ask it replies to, if it is a reply
    hash    bytea   NOT NULL,               -- SHA-256 of the previous hash in hexadecimal, a line feed, and the body
    body    text    NOT NULL,               -- canonical JSON; text and not jsonb, because the hash is over its bytes
    CONSTRAINT one_place PRIMARY KEY (session, seq)
);
CREATE UNIQUE INDEX one_reply ON entry (session, ask) WHERE ask IS NOT NULL;

-- Texts that are deliberated about, once each.
CREATE TABLE material (
    digest bytea PRIMARY KEY,               -- SHA-256 of the text in UTF-8
    text   text  NOT NULL
);

-- The sessions that processes which host sessions are to drive; few, and looked at all the time.
CREATE SEQUENCE mark;
CREATE TABLE hosted (
    session bigint PRIMARY KEY REFERENCES session,
    mark    bigint NOT NULL DEFAULT nextval('mark'),    -- another one each time that it is marked
    marker  text   NOT NULL                 -- who has marked it; the marks of others do not count
);

-- What was said stays as it was said: only a repair, which says that it is one, changes or deletes it.
CREATE FUNCTION stays() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF coalesce(current_setting('quorate.repairing', true), '') <> 'yes' THEN
        RAISE EXCEPTION 'entries and material of Quorate are never changed or deleted';
    ELSIF TG_OP = 'DELETE' THEN
        RETURN OLD;
    END IF;
    RETURN NEW;
END $$;
CREATE TRIGGER entry_stays BEFORE UPDATE OR DELETE ON entry FOR EACH ROW EXECUTE FUNCTION stays();
CREATE TRIGGER entries_stay BEFORE TRUNCATE ON entry FOR EACH STATEMENT EXECUTE FUNCTION stays();
CREATE TRIGGER material_stays BEFORE UPDATE OR DELETE ON material FOR EACH ROW EXECUTE FUNCTION stays();
CREATE TRIGGER all_material_stays BEFORE TRUNCATE ON material FOR EACH STATEMENT EXECUTE FUNCTION stays();

-- For people who look in.
CREATE VIEW journal AS
    SELECT session.id AS session, seq, ask, body, encode(hash, 'hex') AS hash
    FROM entry JOIN session ON session.number = entry.session
    ORDER BY session.number, seq;
