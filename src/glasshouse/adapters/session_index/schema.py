"""What is in the index. Another version is thrown away and made again: there are no steps from one to the next."""

APPLICATION_ID = 0x474C4958  # "GLIX"
VERSION = 1

SCHEMA = """
CREATE TABLE file (
    id INTEGER PRIMARY KEY,
    path TEXT NOT NULL UNIQUE,
    offline INTEGER NOT NULL,
    session_id TEXT NOT NULL,
    -- As it was when it was read; all of them equal: nobody has touched it since.
    dev INTEGER NOT NULL, ino INTEGER NOT NULL, size INTEGER NOT NULL, mtime_ns INTEGER NOT NULL,
    -- How far it was read, and how far for its texts, which come later.
    read_to INTEGER NOT NULL,
    text_to INTEGER NOT NULL,
    proof TEXT NOT NULL,
    -- Of several files of one session one is shown.
    shown INTEGER NOT NULL DEFAULT 0,
    working_dir TEXT,
    title TEXT NOT NULL,
    folded_title TEXT NOT NULL,
    began_at TEXT NOT NULL,
    active_at TEXT NOT NULL,
    message_count INTEGER NOT NULL,
    damaged_lines INTEGER NOT NULL,
    cost_usd REAL,
    model TEXT,
    git_branch TEXT,
    tags TEXT NOT NULL,
    tools_used TEXT NOT NULL,
    -- What is long comes last: who looks for a title does not read over it.
    files_changed TEXT NOT NULL,
    digest TEXT NOT NULL
);
CREATE INDEX file_by_session ON file (session_id);
CREATE INDEX file_by_time ON file (active_at, session_id) WHERE shown;
CREATE INDEX file_by_directory ON file (working_dir, active_at) WHERE shown;

-- What was said, in pieces: a file that grows only adds some.
CREATE TABLE piece (id INTEGER PRIMARY KEY, file INTEGER NOT NULL);
CREATE INDEX piece_by_file ON piece (file);
CREATE VIRTUAL TABLE text USING fts5(body, tokenize = 'trigram');
-- A trigram holds no word of one or two characters: these are here, each once a piece.
CREATE VIRTUAL TABLE short USING fts5(
    words, content = '', contentless_delete = 1, detail = none,
    tokenize = 'unicode61 remove_diacritics 0'
);
"""
