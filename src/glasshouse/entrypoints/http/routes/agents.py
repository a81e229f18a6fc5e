"""The sub-agents and the background work of a session: seen, and stopped one by one."""

from fastapi import APIRouter, Request

from glasshouse.contract.agent import AgentTree, StopReply
from glasshouse.entrypoints.http.services import Of

router = APIRouter(prefix="/api/sessions", tags=["sessions"])


@router.get("/{session_id}/agents")
async def agents(session_id: str, services: Of) -> AgentTree:
    """Every sub-agent of the session, each below the one that started it, and its background tasks."""
    return await services.agents.tree(session_id.lower())


@router.post("/{session_id}/agents/{agent_id}/stop")
async def stop_agent(request: Request, session_id: str, agent_id: str, services: Of) -> StopReply:
    """Stop one sub-agent, or one background task; the task goes on. One that has ended stays as it is."""
    state = await services.agents.stop(session_id.lower(), agent_id, request.state.door)
    return StopReply(agent_id=agent_id, state=state)
