"""The index of all transcripts (the port `SessionIndex`): a file that can be thrown away, and is made again.

index      the port: follows the disk, and answers
lookout    when to look, and where
folders    which files there are, and which of them changed: a stat of each is the truth
inotify    the kernel's word on where to look, where it gives one
diggers    the processes that read what is too much for a thread
book       what is written into it and read from it
pages      the file: opened or made anew, written by one thread
schema     …what is in it
rows       a transcript's digest as a row, and as a list shows it
search     words, also those of one or two characters, and where they were found
changed    who is told what changed
"""

from glasshouse.adapters.session_index.index import TranscriptIndex

__all__ = ["TranscriptIndex"]
