-- The schema of migrations/sqlite up to 0002. Identities are compared byte by byte on every database,
-- so that pages are in the same order.
CREATE TABLE run (
    number BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    id TEXT COLLATE "C" NOT NULL UNIQUE,
    -- Milliseconds since 1970-01-01T00:00:00Z.
    received_at BIGINT NOT NULL,
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
    accelerators BIGINT,
    memory_tier BIGINT,
    submitter TEXT,
    organization TEXT,
    -- Thousandths of a token per second of valid cells: one request at the smallest context, and the
    -- highest total.
    single_rate BIGINT,
    highest_rate BIGINT,
    -- Decode cells as [[context, requests, status, tokens per second], ...].
    cells TEXT NOT NULL DEFAULT '[]',
    document_sha256 TEXT NOT NULL,
    -- The object that holds the document, compressed or not.
    document_object TEXT NOT NULL,
    evidence_sha256 TEXT,
    derived BIGINT NOT NULL DEFAULT 0
);

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
CREATE TABLE run_words (
    number BIGINT PRIMARY KEY REFERENCES run (number) ON DELETE CASCADE,
    words TSVECTOR NOT NULL
);
CREATE INDEX run_words_index ON run_words USING gin (words);

-- What the public runs have of each filter, kept on write: counting rows for each page takes too long.
CREATE TABLE choice (
    field TEXT COLLATE "C" NOT NULL,
    value TEXT COLLATE "C" NOT NULL,
    runs BIGINT NOT NULL,
    PRIMARY KEY (field, value)
);
