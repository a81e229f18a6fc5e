// A session as the page has it: fed by the socket, folded, and shown at most once a frame, however fast events come.

import { SessionFold } from "@/shared/events/fold";
import type { DurableEvent, LiveEvent } from "@/shared/events/events";
import type { EventSocket, Listener } from "@/shared/events/socket";

const FLUSH_LIMIT = 500;
/** A hidden tab gets no frames; it must not pile up events for when it is looked at again. */
const HIDDEN_FLUSH_MS = 500;

type Waiting = { readonly seq: number; readonly event: DurableEvent } | { readonly live: LiveEvent };

export class SessionFeed implements Listener {
  fold = new SessionFold();
  /** Whether all that was in the log when we asked has been folded in. */
  isCaughtUp = false;

  private target = 0;
  private waiting: Waiting[] = [];
  private lastTaken = 0;
  private scheduled = false;
  private version = 0;
  private readonly watchers = new Set<() => void>();
  private unsubscribe: (() => void) | null = null;

  constructor(readonly sessionId: string) {}

  attach(socket: EventSocket): void {
    this.unsubscribe = socket.subscribe(this.sessionId, this);
  }

  detach(): void {
    this.unsubscribe?.();
    this.unsubscribe = null;
  }

  watch = (watcher: () => void): (() => void) => {
    this.watchers.add(watcher);
    return () => this.watchers.delete(watcher);
  };

  getVersion = (): number => this.version;

  position(): number {
    return this.lastTaken;
  }

  event(seq: number, event: DurableEvent): void {
    if (seq <= this.lastTaken) return;
    this.lastTaken = seq;
    this.waiting.push({ seq, event });
    this.schedule();
  }

  live(event: LiveEvent): void {
    this.waiting.push({ live: event });
    this.schedule();
  }

  caughtUp(last: number): void {
    // Subscribed anew: pieces that were typed meanwhile are lost to us, so those that we have make no sense.
    this.waiting = this.waiting.filter((item) => "seq" in item);
    this.fold.dropLive();
    this.target = last;
    this.schedule();
  }

  restart(first: number): void {
    this.fold = new SessionFold();
    this.waiting = [];
    this.lastTaken = first - 1;
    this.schedule();
  }

  private schedule(): void {
    if (this.scheduled) return;
    this.scheduled = true;
    const flush = () => {
      cancelAnimationFrame(frame);
      clearTimeout(timer);
      this.flush();
    };
    const frame = requestAnimationFrame(flush);
    const timer = setTimeout(flush, HIDDEN_FLUSH_MS);
  }

  private flush(): void {
    this.scheduled = false;
    const taken = this.waiting.splice(0, FLUSH_LIMIT);
    for (const item of taken) {
      if ("seq" in item) this.fold.add(item.seq, item.event);
      else this.fold.addLive(item.live);
    }
    this.isCaughtUp = this.fold.last >= this.target && this.lastTaken >= this.target;
    this.version += 1;
    for (const watcher of this.watchers) watcher();
    if (this.waiting.length > 0) this.schedule();
  }
}
