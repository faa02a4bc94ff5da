-- Columns for the filters and orders of the list. A run's number ties it to the index of its words:
-- unlike an implicit row identity, it outlives VACUUM. Rows with derived = 0 get the new columns from
-- their documents when the store is opened.
CREATE TABLE run_now (
    number INTEGER NOT NULL PRIMARY KEY,
    id TEXT NOT NULL UNIQUE,
    -- Milliseconds since 1970-01-01T00:00:00Z.
    received_at INTEGER NOT NULL,
    started_at TEXT,
    visibility TEXT NOT NULL DEFAULT 'public',
    trust TEXT NOT NULL,
    model TEXT NOT NULL,
    hardware TEXT,
    engine TEXT NOT NULL,
    engine_version TEXT,
    quantization TEXT,
    family TEXT,
    class TEXT NOT NULL DEFAULT 'unknown',
    accelerators INTEGER,
    memory_tier INTEGER,
    submitter TEXT,
    organization TEXT,
    -- Thousandths of a token per second of valid cells: one request at the smallest context, and the
    -- highest total.
    single_rate INTEGER,
    highest_rate INTEGER,
    -- Decode cells as [[context, requests, status, tokens per second], ...].
    cells TEXT NOT NULL DEFAULT '[]',
    document_sha256 TEXT NOT NULL,
    -- The object that holds the document, compressed or not.
    document_object TEXT NOT NULL,
    evidence_sha256 TEXT,
    derived INTEGER NOT NULL DEFAULT 0
) STRICT;

INSERT INTO run_now (id, received_at, started_at, trust, model, hardware, engine, engine_version,
    quantization, cells, document_sha256, document_object, evidence_sha256)
SELECT id, received_at, started_at, trust, model, hardware, engine, engine_version, quantization,
    coalesce((SELECT json_group_array(json_array(context, requests, status, total_tokens_per_s))
        FROM (SELECT * FROM cell WHERE run_id = run.id ORDER BY context, requests)), '[]'),
    document_sha256, document_sha256, evidence_sha256
FROM run ORDER BY received_at, id;

DROP TABLE cell;
DROP TABLE run;
ALTER TABLE run_now RENAME TO run;

CREATE INDEX run_newest ON run (received_at DESC, id DESC) WHERE visibility = 'public';
CREATE INDEX run_single ON run (single_rate DESC, id DESC)
    WHERE visibility = 'public' AND single_rate IS NOT NULL;
CREATE INDEX run_highest ON run (highest_rate DESC, id DESC)
    WHERE visibility = 'public' AND highest_rate IS NOT NULL;
CREATE INDEX run_model ON run (model, received_at DESC, id DESC) WHERE visibility = 'public';
CREATE INDEX run_family ON run (family, received_at DESC, id DESC) WHERE visibility = 'public';
CREATE INDEX run_hardware ON run (hardware, received_at DESC, id DESC) WHERE visibility = 'public';
CREATE INDEX run_engine ON run (engine, received_at DESC, id DESC) WHERE visibility = 'public';
CREATE INDEX run_quantization ON run (quantization, received_at DESC, id DESC)
    WHERE visibility = 'public';
CREATE INDEX run_class ON run (class, received_at DESC, id DESC) WHERE visibility = 'public';
CREATE INDEX run_memory ON run (memory_tier, received_at DESC, id DESC) WHERE visibility = 'public';
CREATE INDEX run_submitter ON run (submitter, received_at DESC, id DESC)
    WHERE visibility = 'public' AND submitter IS NOT NULL;
CREATE INDEX run_organization ON run (organization, received_at DESC, id DESC)
    WHERE visibility = 'public' AND organization IS NOT NULL;
CREATE INDEX run_underived ON run (number) WHERE derived = 0;

-- The words of a run, cut by this program alike for every database.
CREATE VIRTUAL TABLE run_words USING fts5 (
    words, content = '', contentless_delete = 1, tokenize = 'unicode61 remove_diacritics 0'
);

-- What the public runs have of each filter, kept on write: counting rows for each page takes too long.
CREATE TABLE choice (
    field TEXT NOT NULL,
    value TEXT NOT NULL,
    runs INTEGER NOT NULL,
    PRIMARY KEY (field, value)
) STRICT, WITHOUT ROWID;
