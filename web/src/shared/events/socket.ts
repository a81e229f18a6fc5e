// One socket for the page: every session that is looked at is a subscription with its own cursor. It comes back by
// itself, goes on after the last event that was seen, and always says how it stands.

import type { QuestionReport, TaskState } from "@/shared/api/types.gen";
import type { DurableEvent, LiveEvent } from "@/shared/events/events";

export type Connection =
  | { readonly state: "connecting" }
  | { readonly state: "open" }
  /** Lost a moment ago, coming back. */
  | { readonly state: "reconnecting"; readonly since: number }
  /** Lost for long: what is shown may be old. */
  | { readonly state: "offline"; readonly since: number }
  | { readonly state: "signed_out" };

export type Listener = {
  /** The number of the last event that the listener has. */
  position(): number;
  event(seq: number, event: DurableEvent): void;
  live(event: LiveEvent): void;
  /** All that was there when it was asked for has come, up to this number. */
  caughtUp(last: number): void;
  /** What is before this number is no longer kept; it begins there anew. */
  restart(first: number): void;
};

/** Of all sessions: what works and waits. A question comes without what only its panel shows. */
export type Watcher = {
  /** All that works and waits is told anew: what is not told again has ended meanwhile. */
  anew(): void;
  task(task: TaskState): void;
  question(question: QuestionReport): void;
};

type ServerFrame =
  | { session_id: string; seq: number; event: DurableEvent }
  | { session_id: string; live: LiveEvent }
  | { session_id: "*"; task: TaskState }
  | { session_id: "*"; question: QuestionReport }
  | { op: "subscribed"; session_id: string; last: number | null }
  | { op: "reset"; session_id: string; first: number | null; last: number | null }
  | { op: "pong" }
  | { op: "error"; code: string; session_id?: string };

const OFFLINE_AFTER_MS = 10_000;
const LONGEST_WAIT_MS = 5_000;
const PING_EVERY_MS = 20_000;
const ALL = "*";

export class EventSocket {
  private socket: WebSocket | null = null;
  private readonly listeners = new Map<string, Listener>();
  private readonly watchers = new Set<() => void>();
  private readonly allWatchers = new Set<Watcher>();
  private connection: Connection = { state: "connecting" };
  private attempts = 0;
  private lostAt: number | null = null;
  private heard = true;
  private timers: ReturnType<typeof setTimeout>[] = [];
  private started = false;

  constructor(
    private readonly url: string,
    /** Whether the key is still good: a refused socket does not tell why it was refused. */
    private readonly isSignedIn: () => Promise<boolean>,
  ) {}

  start(): void {
    if (this.started) return;
    this.started = true;
    this.connect();
  }

  stop(): void {
    this.started = false;
    this.clearTimers();
    this.socket?.close();
    this.socket = null;
  }

  /** At once, whatever it was waiting for: after a sign-in, or when a person asks for it. */
  restart(): void {
    if (!this.started) return;
    this.clearTimers();
    const old = this.socket;
    this.socket = null;
    old?.close();
    this.become({ state: "connecting" });
    this.connect();
  }

  /** Now rather than after the wait; how it stands is said as before until it stands otherwise. */
  retry(): void {
    if (this.started && this.socket === null) this.connect();
  }

  getConnection = (): Connection => this.connection;

  watch = (watcher: () => void): (() => void) => {
    this.watchers.add(watcher);
    return () => this.watchers.delete(watcher);
  };

  watchAll(watcher: Watcher): () => void {
    this.allWatchers.add(watcher);
    if (this.allWatchers.size === 1) this.send({ op: "subscribe", session_id: ALL });
    return () => {
      this.allWatchers.delete(watcher);
      if (this.allWatchers.size === 0) this.send({ op: "unsubscribe", session_id: ALL });
    };
  }

  subscribe(sessionId: string, listener: Listener): () => void {
    this.listeners.set(sessionId, listener);
    this.send({ op: "subscribe", session_id: sessionId, after: listener.position() });
    return () => {
      if (this.listeners.get(sessionId) !== listener) return;
      this.listeners.delete(sessionId);
      this.send({ op: "unsubscribe", session_id: sessionId });
    };
  }

  private connect(): void {
    const socket = new WebSocket(this.url);
    this.socket = socket;
    socket.onopen = () => this.opened();
    socket.onmessage = (message) => {
      this.heard = true;
      this.take(JSON.parse(String(message.data)) as ServerFrame);
    };
    socket.onclose = () => {
      if (this.socket === socket) void this.closed();
    };
  }

  private opened(): void {
    this.clearTimers();
    this.attempts = 0;
    this.lostAt = null;
    this.heard = true;
    this.become({ state: "open" });
    if (this.allWatchers.size > 0) this.send({ op: "subscribe", session_id: ALL });
    for (const [sessionId, listener] of this.listeners) {
      this.send({ op: "subscribe", session_id: sessionId, after: listener.position() });
    }
    this.later(PING_EVERY_MS, () => this.ping());
  }

  private ping(): void {
    if (!this.heard) {
      // Half open: the other end is gone and nobody told us, so nobody would answer a close either.
      const old = this.socket;
      void this.closed();
      old?.close();
      return;
    }
    this.heard = false;
    this.send({ op: "ping" });
    this.later(PING_EVERY_MS, () => this.ping());
  }

  private async closed(): Promise<void> {
    this.socket = null;
    this.clearTimers();
    if (!this.started) return;
    this.lostAt ??= Date.now();
    const since = this.lostAt;
    if (this.connection.state !== "offline") this.become({ state: "reconnecting", since });
    const wait = Math.min(LONGEST_WAIT_MS, 250 * 2 ** this.attempts) * (0.75 + Math.random() / 2);
    this.attempts += 1;
    this.later(Math.max(0, since + OFFLINE_AFTER_MS - Date.now()), () => this.become({ state: "offline", since }));
    if (!(await this.isSignedIn().catch(() => true))) {
      this.clearTimers();
      this.become({ state: "signed_out" });
      return;
    }
    this.later(wait, () => {
      if (this.started && this.socket === null) this.connect();
    });
  }

  private take(frame: ServerFrame): void {
    if ("event" in frame) this.listeners.get(frame.session_id)?.event(frame.seq, frame.event);
    else if ("live" in frame) this.listeners.get(frame.session_id)?.live(frame.live);
    else if ("task" in frame) for (const watcher of this.allWatchers) watcher.task(frame.task);
    else if ("question" in frame) for (const watcher of this.allWatchers) watcher.question(frame.question);
    else this.takeControl(frame);
  }

  private takeControl(frame: Extract<ServerFrame, { op: string }>): void {
    switch (frame.op) {
      case "subscribed":
        if (frame.session_id === ALL) for (const watcher of this.allWatchers) watcher.anew();
        this.listeners.get(frame.session_id)?.caughtUp(frame.last ?? 0);
        return;
      case "reset":
        this.reset(frame.session_id, frame.first);
        return;
      case "error":
        // A position beyond the log: the server has another log than the one that we have seen.
        if (frame.code === "position_invalid" && frame.session_id !== undefined) this.reset(frame.session_id, null, true);
        return;
      case "pong":
        return;
    }
  }

  private reset(sessionId: string, first: number | null, fromStart = false): void {
    if (sessionId === ALL) {
      this.send({ op: "subscribe", session_id: ALL });
      return;
    }
    const listener = this.listeners.get(sessionId);
    if (listener === undefined) return;
    if (fromStart || (first !== null && listener.position() + 1 < first)) listener.restart(first ?? 1);
    this.send({ op: "subscribe", session_id: sessionId, after: listener.position() });
  }

  private send(frame: object): void {
    if (this.socket?.readyState === WebSocket.OPEN) this.socket.send(JSON.stringify(frame));
  }

  private become(connection: Connection): void {
    this.connection = connection;
    for (const watcher of this.watchers) watcher();
  }

  private later(ms: number, act: () => void): void {
    this.timers.push(setTimeout(act, ms));
  }

  private clearTimers(): void {
    this.timers.forEach(clearTimeout);
    this.timers = [];
  }
}
