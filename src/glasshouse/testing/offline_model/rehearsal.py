"""The scripts of the self-check: for each of its prompts, what a model does that Glasshouse relies on."""

from glasshouse.core import rehearsal
from glasshouse.testing.offline_model.reply import Call, Pause, Say
from glasshouse.testing.offline_model.script import Script, played

# Long enough for a message to arrive meanwhile.
_HESITATES_S = 1.0
_UNTIL_TOLD = f"until [ -e {rehearsal.TOLD_FILE} ]; do sleep 0.05; done"
_DONE = Say("Rehearsed.")
_QUESTION = {
    "question": "Which one?",
    "header": "Rehearsal",
    "multiSelect": False,
    "options": [{"label": "One", "description": "the first"}, {"label": "Other", "description": "the second"}],
}
# A command that only sleeps is not waited for.
_WORK = f"for i in $(seq 150); do [ -e {rehearsal.HOOK_FILE} ] && break; sleep 0.1; done"
_OURS = {"question_id": "rehearsal", "question_text": "What shall it be?", "type": "text"}


def rehearsal_scripts() -> tuple[Script, ...]:
    return (
        played(rehearsal.GREET, Say("Hello.")),
        played(rehearsal.ASK, Call("AskUserQuestion", {"questions": [_QUESTION]}), _DONE),
        played(rehearsal.ASK_BY_OUR_TOOL, Call("mcp__glasshouse__ask_user_question", _OURS), _DONE),
        played(rehearsal.WRITE, Call("Bash", {"command": f"touch {rehearsal.SHOWN_FILE}"}), _DONE),
        played(rehearsal.PLAN, Call("ExitPlanMode", {"plan": "1. Nothing."}), _DONE),
        played(rehearsal.LISTEN, Call("Bash", {"command": _UNTIL_TOLD}), _DONE),
        played(
            rehearsal.HESITATE,
            (Say("Let me think."), Pause(_HESITATES_S), Call("AskUserQuestion", {"questions": [_QUESTION]})),
            (Call("Bash", {"command": "true"}),),
            _DONE,
        ),
        played(rehearsal.LINGER, Call("Bash", {"command": "sleep 30"}), _DONE),
        played(rehearsal.WORK_ON, *(Call("Bash", {"command": _WORK}) for _ in range(2)), _DONE),
    )
