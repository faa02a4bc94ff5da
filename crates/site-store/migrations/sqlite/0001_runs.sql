-- One row per run: what lists and searches need. The document itself and its evidence are objects,
-- named by their SHA-256.
CREATE TABLE run (
    id TEXT NOT NULL PRIMARY KEY,
    -- Milliseconds since 1970-01-01T00:00:00Z.
    received_at INTEGER NOT NULL,
    started_at TEXT,
    trust TEXT NOT NULL,
    model TEXT NOT NULL,
    hardware TEXT,
    engine TEXT NOT NULL,
    engine_version TEXT,
    quantization TEXT,
    document_sha256 TEXT NOT NULL,
    evidence_sha256 TEXT
) STRICT;

-- Newest first, with the identity as tie-breaker: the order of the list's pages.
CREATE INDEX run_newest ON run (received_at DESC, id DESC);

-- One row per decode cell: pictures in lists, later leaderboards.
CREATE TABLE cell (
    run_id TEXT NOT NULL REFERENCES run (id) ON DELETE CASCADE,
    context INTEGER NOT NULL,
    requests INTEGER NOT NULL,
    status TEXT NOT NULL,
    total_tokens_per_s REAL,
    PRIMARY KEY (run_id, context, requests)
) STRICT, WITHOUT ROWID;
