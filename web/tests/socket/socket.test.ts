// One socket for the page: what it asks for, how it comes back, and that it always says how it stands.

import { afterEach, beforeEach, expect, test, vi } from "vitest";

import { SessionFeed } from "@/shared/events/session";
import { EventSocket } from "@/shared/events/socket";

import { Script } from "../fold/events";
import { FakeSocket, useFakeSockets } from "./fake-socket";

const SESSION = "a0000000-0000-4000-8000-000000000001";
let isSignedIn = async () => true;
let socket: EventSocket;
let feed: SessionFeed;

beforeEach(() => {
  vi.useFakeTimers();
  useFakeSockets();
  isSignedIn = async () => true;
  socket = new EventSocket("ws://test/api/events/ws", () => isSignedIn());
  feed = new SessionFeed(SESSION);
});

afterEach(() => {
  socket.stop();
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

function connect(): void {
  socket.start();
  feed.attach(socket);
  FakeSocket.last.open();
}

function tell(count: number): void {
  const script = new Script();
  for (let number = 0; number < count; number += 1) {
    const { seq, event } = script.text(`event ${number}`);
    FakeSocket.last.say({ session_id: SESSION, seq, event });
  }
}

const state = () => socket.getConnection().state;
const asked = () => FakeSocket.last.sent.filter((frame) => frame["op"] === "subscribe");
const wait = (ms: number) => vi.advanceTimersByTimeAsync(ms);

test("a session is asked for from its beginning, and again after what was seen", async () => {
  connect();
  expect(asked()).toEqual([{ op: "subscribe", session_id: SESSION, after: 0 }]);
  tell(3);
  FakeSocket.last.lose();
  expect(state()).toBe("reconnecting");
  await wait(1000);
  FakeSocket.last.open();
  expect(state()).toBe("open");
  expect(FakeSocket.all).toHaveLength(2);
  expect(asked()).toEqual([{ op: "subscribe", session_id: SESSION, after: 3 }]);
});

test("events that were seen already are not shown twice", async () => {
  connect();
  tell(3);
  tell(4);
  await wait(100);
  expect(feed.fold.rows).toHaveLength(4);
});

test("after ten seconds without a server it says so, and goes on trying", async () => {
  connect();
  FakeSocket.last.lose();
  for (let second = 0; second < 9; second += 1) {
    await wait(1000);
    expect(state()).toBe("reconnecting");
    if (FakeSocket.last.readyState === 0) FakeSocket.last.lose();
  }
  const since = socket.getConnection();
  await wait(1500);
  expect(socket.getConnection()).toEqual({ ...since, state: "offline" });
  const tried = FakeSocket.all.length;
  FakeSocket.last.lose();
  await wait(10_000);
  expect(state()).toBe("offline");
  expect(FakeSocket.all.length).toBeGreaterThan(tried);
  FakeSocket.last.open();
  expect(state()).toBe("open");
});

test("a person who asks for it does not wait", async () => {
  connect();
  FakeSocket.last.lose();
  await wait(0);
  socket.retry();
  expect(FakeSocket.all).toHaveLength(2);
  expect(state()).toBe("reconnecting");
  socket.retry();
  expect(FakeSocket.all).toHaveLength(2);
});

test("a connection that no longer answers is given up", async () => {
  connect();
  await wait(20_000);
  expect(FakeSocket.last.sent.at(-1)).toEqual({ op: "ping" });
  FakeSocket.last.say({ op: "pong" });
  await wait(20_000);
  expect(state()).toBe("open");
  await wait(20_000);
  expect(state()).toBe("reconnecting");
  await wait(1000);
  expect(FakeSocket.all).toHaveLength(2);
});

test("a reset reads on where it was, if that is still kept", () => {
  connect();
  tell(3);
  FakeSocket.last.say({ op: "reset", session_id: SESSION, first: 1, last: 9 });
  expect(asked().at(-1)).toEqual({ op: "subscribe", session_id: SESSION, after: 3 });
});

test("a reset begins anew behind what is no longer kept", async () => {
  connect();
  tell(3);
  await wait(100);
  FakeSocket.last.say({ op: "reset", session_id: SESSION, first: 100, last: 200 });
  expect(asked().at(-1)).toEqual({ op: "subscribe", session_id: SESSION, after: 99 });
  expect(feed.fold.rows).toHaveLength(0);
});

test("a server with another log is read from its beginning", () => {
  connect();
  tell(3);
  FakeSocket.last.say({ op: "error", code: "position_invalid", session_id: SESSION });
  expect(asked().at(-1)).toEqual({ op: "subscribe", session_id: SESSION, after: 0 });
});

test("what was typed live is forgotten when the log is read again", async () => {
  connect();
  const script = new Script();
  FakeSocket.last.say({ session_id: SESSION, live: script.live("text_delta", "half a sen", { message_id: "m", block: 0 }) });
  await wait(100);
  expect(feed.fold.rows).toHaveLength(1);
  FakeSocket.last.say({ op: "subscribed", session_id: SESSION, last: 0 });
  await wait(100);
  expect(feed.fold.rows).toHaveLength(0);
});

test("whoever is not signed in is not tried again until a sign-in", async () => {
  connect();
  isSignedIn = async () => false;
  FakeSocket.last.lose();
  await wait(30_000);
  expect(state()).toBe("signed_out");
  expect(FakeSocket.all).toHaveLength(1);
  socket.restart();
  expect(FakeSocket.all).toHaveLength(2);
});

test("all that works and waits is asked for once, and told anew after a reset", () => {
  const told: string[] = [];
  socket.start();
  socket.watchAll({
    anew: () => told.push("anew"),
    task: (task) => told.push(task.task_id),
    question: (question) => told.push(question.question_id),
  });
  FakeSocket.last.open();
  FakeSocket.last.say({ op: "subscribed", session_id: "*", last: null });
  FakeSocket.last.say({ session_id: "*", question: { question_id: "q1" } });
  FakeSocket.last.say({ session_id: "*", task: { task_id: "t1" } });
  FakeSocket.last.say({ op: "reset", session_id: "*", first: null, last: null });
  FakeSocket.last.say({ op: "subscribed", session_id: "*", last: null });
  expect(told).toEqual(["anew", "q1", "t1", "anew"]);
  expect(asked()).toEqual([
    { op: "subscribe", session_id: "*" },
    { op: "subscribe", session_id: "*" },
  ]);
});
