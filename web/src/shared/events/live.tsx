// What components see of the socket: a session's rows, the state of all tasks, and how the connection stands.

import { createContext, useContext, useEffect, useMemo, useState, useSyncExternalStore, type ReactNode } from "react";
import { create } from "zustand";

import type { TaskState } from "@/shared/api/types.gen";
import { useAsked } from "@/shared/events/asked";
import { SessionFeed } from "@/shared/events/session";
import type { Connection, EventSocket } from "@/shared/events/socket";

const SocketContext = createContext<EventSocket | null>(null);

type Tasks = {
  /** The newest state of each task, as the server last said it. */
  readonly byId: ReadonlyMap<string, TaskState>;
  put(task: TaskState): void;
};

export const useTasks = create<Tasks>()((set) => ({
  byId: new Map(),
  put: (task) =>
    set(({ byId }) => {
      const known = byId.get(task.task_id);
      // An answer to a request can come after what the socket has told since.
      if (known !== undefined && STAGES[known.status] > STAGES[task.status]) return { byId };
      return { byId: new Map(byId).set(task.task_id, task) };
    }),
}));

const STAGES: Record<TaskState["status"], number> = {
  queued: 0,
  running: 1,
  waiting: 1,
  parked: 1,
  interrupted: 2,
  completed: 2,
  failed: 2,
  cancelled: 2,
};

export function LiveEvents({ socket, children }: { socket: EventSocket; children: ReactNode }) {
  useEffect(() => {
    socket.start();
    const { anew, put: question } = useAsked.getState();
    const unwatch = socket.watchAll({ anew, question, task: useTasks.getState().put });
    return () => {
      unwatch();
      socket.stop();
    };
  }, [socket]);
  return <SocketContext value={socket}>{children}</SocketContext>;
}

export function useSocket(): EventSocket {
  const socket = useContext(SocketContext);
  if (socket === null) throw new Error("useSocket outside of LiveEvents");
  return socket;
}

export function useConnection(): Connection {
  const socket = useSocket();
  return useSyncExternalStore(socket.watch, socket.getConnection);
}

/** The feed of a session for as long as a component shows it; it changes with each frame that brings something. */
export function useSession(sessionId: string | null): SessionFeed | null {
  const socket = useSocket();
  const feed = useMemo(() => (sessionId === null ? null : new SessionFeed(sessionId)), [sessionId]);
  useEffect(() => {
    feed?.attach(socket);
    return () => feed?.detach();
  }, [feed, socket]);
  useSyncExternalStore(feed?.watch ?? noWatch, feed?.getVersion ?? noVersion);
  return feed;
}

/** The present moment, again each second while something runs. */
export function useNow(running: boolean): number {
  const [now, setNow] = useState(() => Date.now());
  useEffect(() => {
    if (!running) return undefined;
    setNow(Date.now());
    const timer = setInterval(() => setNow(Date.now()), 1000);
    return () => clearInterval(timer);
  }, [running]);
  return now;
}

const noWatch = () => () => {};
const noVersion = () => 0;
