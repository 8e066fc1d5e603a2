import { type ErrorCode, type ErrorDetails, GatewayError, type LogRow, type LogStore } from "#contract";
import { packed } from "./logs-batch.ts";
import type { Loss } from "./rescue.ts";

/** What the Worker does, by name: argument and result. */
interface LogsWork {
  open: {
    argument: {
      readonly path: string;
      /** A file that is filled only after this one was. */
      readonly beside: string | undefined;
      readonly busyTimeoutMs: number;
      readonly allowDestructive: string | undefined;
      readonly keepsTables: boolean;
    };
    result: void;
  };
  /** A packed batch. */
  write: { argument: string; result: void };
  get: { argument: string; result: LogRow | undefined };
  prune: { argument: { readonly newerThan: number; readonly maxBytes: number }; result: number };
  close: { argument: undefined; result: void };
}
export type LogsCall = keyof LogsWork;
export type LogsJobs = {
  readonly [C in LogsCall]: (argument: LogsWork[C]["argument"]) => LogsWork[C]["result"] | Promise<LogsWork[C]["result"]>;
};
export interface LogsRequest<C extends LogsCall = LogsCall> {
  readonly number: number;
  readonly call: C;
  readonly argument: LogsWork[C]["argument"];
}
export interface LogsAnswer {
  readonly number: number;
  readonly value?: unknown;
  /** Without a code it is a fault of the program, not of the storage. */
  readonly error?: { readonly code?: ErrorCode; readonly details?: ErrorDetails; readonly message: string };
}

/** Told once: the Worker has lost its file. */
export interface LogsNews {
  readonly loss: Loss;
}

/**
 * Beside this file; in a compiled binary all modules are one file at the root, and the Worker, an entry point of its
 * own in the build, keeps its path below it.
 */
const WORKER = new URL(
  import.meta.url.endsWith("/sqlite/logs.ts") ? "./logs.worker.ts" : "./storage/sqlite/logs.worker.ts",
  import.meta.url,
);

interface Waiting {
  resolve(value: unknown): void;
  reject(error: unknown): void;
}
interface Line {
  readonly worker: Worker;
  readonly waiting: Map<number, Waiting>;
  readonly opened: Promise<unknown>;
}
export interface SqliteLogs {
  readonly handle: LogStore;
  /** Why nothing is written any more. */
  lost(): string | undefined;
  ready(): Promise<void>;
  close(): Promise<void>;
}

/** The logs handle: every call is a message to the one Worker that owns logs.db. A Worker that died is started anew. */
export const sqliteLogs = (
  options: LogsWork["open"]["argument"],
  onLoss: (loss: Loss) => void,
  spawn = () => new Worker(WORKER, { type: "module" }),
): SqliteLogs => {
  const state: { line?: Line; lost?: string; closed: boolean; number: number } = { closed: false, number: 0 };

  const post = <C extends LogsCall>(
    { worker, waiting }: Pick<Line, "worker" | "waiting">,
    call: C,
    argument: LogsWork[C]["argument"],
  ): Promise<LogsWork[C]["result"]> =>
    new Promise((resolve, reject) => {
      const number = (state.number += 1);
      // The Worker answers a call with that call's result.
      waiting.set(number, { resolve: (value) => resolve(value as LogsWork[C]["result"]), reject });
      worker.postMessage({ number, call, argument } satisfies LogsRequest<C>);
    });

  const start = (): Line => {
    const worker = spawn();
    const waiting = new Map<number, Waiting>();
    const gone = (why: string): void => {
      if (state.line?.worker === worker) {
        delete state.line;
        delete state.lost; // the next Worker opens the file anew
      }
      for (const { reject } of waiting.values())
        reject(new GatewayError("STORAGE_UNAVAILABLE", { handle: "logs" }, { cause: new Error(why) }));
      waiting.clear();
    };
    worker.onmessage = ({ data }: MessageEvent<LogsAnswer | LogsNews>) => {
      if (!("loss" in data)) return settle(waiting, data);
      state.lost = data.loss.sentence;
      onLoss(data.loss);
    };
    worker.onerror = (event) => gone(event.message);
    worker.addEventListener("close", () => gone("the log worker ended"));
    // The process may end while the Worker waits for work.
    (worker as Worker & { unref?(): void }).unref?.();
    const opened = post({ worker, waiting }, "open", options);
    opened.catch((error: unknown) => {
      gone(String(error));
      worker.terminate();
    });
    return (state.line = { worker, waiting, opened });
  };

  const ask = async <C extends LogsCall>(call: C, argument: LogsWork[C]["argument"]): Promise<LogsWork[C]["result"]> => {
    if (state.closed) throw new GatewayError("STORAGE_UNAVAILABLE", { handle: "logs" });
    const line = state.line ?? start();
    await line.opened;
    return await post(line, call, argument);
  };

  return {
    handle: { write: (batch) => ask("write", packed(batch)), get: (id) => ask("get", id), prune: (keep) => ask("prune", keep) },
    lost: () => state.lost,
    ready: async () => {
      await (state.line ?? start()).opened;
    },
    close: async () => {
      state.closed = true;
      const { line } = state;
      if (line === undefined) return;
      await post(line, "close", undefined);
      line.worker.terminate();
    },
  };
};

const settle = (waiting: Map<number, Waiting>, { number, value, error }: LogsAnswer): void => {
  const call = waiting.get(number);
  waiting.delete(number);
  if (error === undefined) call?.resolve(value);
  else
    call?.reject(
      error.code === undefined
        ? new Error(error.message)
        : new GatewayError(error.code, error.details, { cause: new Error(error.message) }),
    );
};
