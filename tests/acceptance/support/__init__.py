"""What the acceptance tests are made of.

obedient   a model that does what the prompt says
model      that model in a thread of its own, so that it outlives every event loop and every server
api        a program that uses a server, and takes its streams apart byte by byte
processes  who works in a directory, and who is below a process
stubborn   a Bash call whose children want to stay
"""
