"""What Glasshouse costs beside the least that could do the same, measured in one run: `python -m benchmarks`.

figure               what one benchmark finds, and the target that it is held to
turns                baseline and measured one after the other, round by round: the machine's moods hit both
commands             programs that are timed, or that time for us
sse_client           HTTP as small as can be, so that the clock sees the server and not the client
offline_endpoint     the offline model where both sides reach it, and the server that is told to use it

command_help         `glasshouse --help`
start_to_ready       from the start of the process to 200 on /ready
idle_memory          what a server that waits for tasks holds
first_event          from a request to the model's first words
  bare_queries       …and through nothing but the SDK
fan_out              events to many readers at once
  crowd              …the readers
  bare_fan_out       …the fastest server for them
  scripted_server    …Glasshouse, with an engine that only emits
  fan_out_source     …what both have to say
delivery             from an append to a subscriber's hands
  append_to_delivery …measured, also as a program of its own
stop_to_gone         from a stop to the end of every process
  bare_interrupt     …and through nothing but the SDK
  stubborn           …what is stopped
  family             …and whom it started
sessions             the index of transcripts: first built, listed, searched, growing
  corpus             …thousands of sessions, as years of work leave them
  bare_sessions      …read, listed and searched without an index
console_cold         from an address to a composer that can be typed in
console_events       frames, and the longest task, while events rush into the console
  chromium           …the browser, for both
  talkative_server   …Glasshouse, with an engine that talks like an agent
first_page           the first page of a large session, nothing known of it yet
clone_to_console     from a bare clone, with nothing cached; fetches from package registries, so only when it is named
bare_options         what Glasshouse gives to the SDK, for those who use it alone

The tests only show that they run: a figure is for people to judge, on a machine that they know.
"""
