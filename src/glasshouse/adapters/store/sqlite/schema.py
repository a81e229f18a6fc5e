"""What is in the file: steps that are only ever added to, each from one version to the next."""

STEPS = (
    """
    -- The last number given in a session; it outlives the events, so that no number is given twice.
    CREATE TABLE log (
        session_id TEXT PRIMARY KEY,
        last INTEGER NOT NULL
    ) WITHOUT ROWID;

    CREATE TABLE event (
        session_id TEXT NOT NULL,
        seq INTEGER NOT NULL,
        task_id TEXT,
        ends_task INTEGER NOT NULL,
        body BLOB NOT NULL,
        UNIQUE (session_id, seq)
    );

    CREATE TABLE session (
        session_id TEXT PRIMARY KEY,
        engine TEXT NOT NULL,
        working_dir TEXT NOT NULL,
        created_at TEXT NOT NULL,
        offline INTEGER NOT NULL,
        engine_state TEXT NOT NULL
    ) WITHOUT ROWID;

    CREATE TABLE task (
        admitted INTEGER PRIMARY KEY,
        task_id TEXT NOT NULL UNIQUE,
        session_id TEXT NOT NULL,
        engine TEXT NOT NULL,
        status TEXT NOT NULL,
        working_dir TEXT NOT NULL,
        request TEXT NOT NULL,
        created_at TEXT NOT NULL,
        offline INTEGER NOT NULL,
        deltas INTEGER NOT NULL,
        generation INTEGER NOT NULL,
        started_at TEXT,
        ended_at TEXT,
        result TEXT
    );
    CREATE INDEX task_by_status ON task (status);
    CREATE INDEX task_by_session ON task (session_id);

    -- Apart from the task, because it is written with every event and the task with its prompt is long.
    CREATE TABLE span (
        task_id TEXT PRIMARY KEY,
        first_seq INTEGER NOT NULL,
        last_seq INTEGER NOT NULL
    ) WITHOUT ROWID;

    CREATE TABLE blob (
        sha256 TEXT PRIMARY KEY,
        content BLOB NOT NULL
    );
    -- A blob that no session uses any more may go.
    CREATE TABLE blob_use (
        session_id TEXT NOT NULL,
        sha256 TEXT NOT NULL,
        PRIMARY KEY (session_id, sha256)
    ) WITHOUT ROWID;
    CREATE INDEX blob_use_by_blob ON blob_use (sha256);

    CREATE TABLE sign_in (
        token_hash TEXT PRIMARY KEY,
        expires_at REAL NOT NULL
    ) WITHOUT ROWID;
    """,
    """
    ALTER TABLE task ADD COLUMN worked_ms INTEGER NOT NULL DEFAULT 0;

    CREATE TABLE question (
        asked INTEGER PRIMARY KEY,
        session_id TEXT NOT NULL,
        question_id TEXT NOT NULL,
        task_id TEXT,
        call_id TEXT NOT NULL,
        state TEXT NOT NULL,
        round INTEGER NOT NULL,
        -- Whether an answer may open follow-ups.
        opens INTEGER NOT NULL,
        due_at_uptime_s REAL,
        record TEXT NOT NULL,
        UNIQUE (session_id, question_id)
    );
    CREATE INDEX question_by_state ON question (state, asked);
    CREATE INDEX question_by_session ON question (session_id, state, asked);
    CREATE INDEX question_by_task ON question (task_id, state, asked) WHERE task_id IS NOT NULL;
    CREATE INDEX question_by_call ON question (session_id, call_id);
    CREATE INDEX question_by_round ON question (session_id, round);
    CREATE INDEX question_opening ON question (session_id) WHERE state = 'pending' AND opens;
    CREATE INDEX question_by_due ON question (due_at_uptime_s) WHERE state = 'pending' AND due_at_uptime_s IS NOT NULL;

    -- How long servers have run on this file: the clock of time-outs, which stands still while none does.
    CREATE TABLE uptime (only_one INTEGER PRIMARY KEY CHECK (only_one = 1), seconds REAL NOT NULL);
    """,
    """
    -- What was decided about a directory holds as long as it carries what has this digest.
    CREATE TABLE trust (
        directory TEXT NOT NULL,
        digest TEXT NOT NULL,
        decision TEXT NOT NULL,
        decided_at TEXT NOT NULL,
        session_id TEXT NOT NULL,
        question_id TEXT NOT NULL,
        PRIMARY KEY (directory, digest)
    ) WITHOUT ROWID;

    -- Looked through whenever one of them is answered, while thousands of other questions may wait.
    CREATE INDEX question_of_trust ON question (asked)
        WHERE state = 'pending' AND json_extract(record, '$.kind') = 'trust';
    """,
    """
    -- What the task has cost and taken up to now; its result has the final ones.
    ALTER TABLE task ADD COLUMN cost_usd REAL;
    ALTER TABLE task ADD COLUMN num_turns INTEGER;
    ALTER TABLE task ADD COLUMN parked TEXT;
    ALTER TABLE session ADD COLUMN forked_from TEXT;
    """,
    """
    -- What people said to tasks that had not ended, in the order in which it was accepted.
    CREATE TABLE instruction (
        accepted INTEGER PRIMARY KEY,
        task_id TEXT NOT NULL,
        instruction_id TEXT NOT NULL,
        session_id TEXT NOT NULL,
        is_open INTEGER NOT NULL,
        record TEXT NOT NULL,
        UNIQUE (task_id, instruction_id)
    );
    CREATE INDEX instruction_open ON instruction (task_id) WHERE is_open;
    CREATE INDEX instruction_by_session ON instruction (session_id);
    """,
)
