"""What ships for trying and testing Glasshouse, and what is built on it.

offline_model    a local model that plays scripts, so that the real Claude Code works with no network
scripted_engine  an engine without processes
memory_store, memory_sessions, memory_ways_back, no_processes, no_trees, manual_clock
                 twins of what stands behind the other ports
server_process   a real server as a process of its own
conformance      what every implementation of a port must keep
"""
