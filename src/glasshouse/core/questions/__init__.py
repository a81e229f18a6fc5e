"""The questions desk: what waits for a person, whatever asked it.

desk       asks, takes one answer to each question, settles what is out of time
settling   what one act does to an asking call
answers    what a person may answer, and which follow-ups that opens
forms      what models and programs ask, as questions; and what is malformed
records    a question as the log has it, and what the world is told of it
trust      whether what a directory carries may run
dialog     where a session stands in its rounds
uptime     the clock of time-outs
"""
