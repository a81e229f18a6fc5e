"""What was decided about directories, and how it is taken back."""

from tests.support.served import Served

from glasshouse.core.ports import Append, TrustDecision, TrustRecord


async def test_decisions_are_listed_and_forgotten_by_directory(served: Served) -> None:
    at = "2026-01-01T00:00:00.000Z"
    kept = [TrustRecord(f"/work/{name}", "d", TrustDecision.TRUST, at, "s", "q") for name in ("a", "b & c")]
    await served.bench.store.append(Append("s", trust=kept))
    async with served.client() as client:
        listed = (await client.get("/api/trust")).json()["directories"]
        assert [each["directory"] for each in listed] == ["/work/a", "/work/b & c"]
        assert listed[0] == {
            "directory": "/work/a",
            "decision": "trust",
            "digest": "d",
            "decided_at": at,
            "session_id": "s",
            "question_id": "q",
        }
        for expected in (1, 0):
            gone = await client.delete("/api/trust", params={"directory": "/work/b & c"})
            assert gone.json() == {"forgotten": expected}
        assert len((await client.get("/api/trust")).json()["directories"]) == 1
        assert (await client.delete("/api/trust")).status_code == 422
