import type { Failure } from "./types.ts";

/** When an error counts as passed. A parsed denial is not an error and never does. */
type Opens = (failOnError: boolean | null, denying: boolean) => boolean;
/** The documented default: unless the check's `failOnError` is true. */
const unlessAsked: Opens = (failOnError) => failOnError !== true;
/** A fault that will not pass by itself: a denying guardrail stays shut unless the check says `failOnError: false`. */
const unlessDenying: Opens = (failOnError, denying) => failOnError === false || (failOnError === null && !denying);
/** There is no check to ask, or the text kept it from answering: a denying guardrail stays shut. */
const neverWhenDenying: Opens = (failOnError, denying) => !denying && failOnError !== true;
/** It saw something to change and we could not change it. */
const never: Opens = () => false;

interface FailMode {
  readonly opens: Opens;
  /** As results name it. */
  readonly name: string;
  /** As the documentation explains it. */
  readonly why: string;
}
/** The one place that says what an error means for the guardrail's verdict, whichever check it is of. */
export const FAIL_MODE: Readonly<Record<Failure, FailMode>> = {
  timeout: { opens: unlessAsked, name: "Timeout error", why: "whom it asked did not answer within its `timeout`" },
  unavailable: { opens: unlessAsked, name: "Unavailable error", why: "whom it asked cannot be reached, or failed" },
  malformed: { opens: unlessAsked, name: "Malformed answer error", why: "the answer is none that it knows, or too large" },
  config: { opens: unlessAsked, name: "Configuration error", why: "it is used where it cannot judge, or its parameters do not fit" },
  crash: { opens: unlessAsked, name: "Check error", why: "a fault of the check itself" },
  auth: { opens: unlessDenying, name: "Authentication error", why: "a credential is missing or was refused" },
  budget: {
    opens: neverWhenDenying,
    name: "Budget error",
    why: "the text made it take too much time, memory or room, or may be why a model gave no verdict",
  },
  busy: { opens: neverWhenDenying, name: "Busy error", why: "too much such work waits, or no process can be started" },
  not_running: { opens: neverWhenDenying, name: "Unavailable error", why: "its plugin is off" },
  bad_transform: { opens: never, name: "Malformed transform error", why: "it would change what cannot be changed" },
};
/** A check may name a class we do not have; then it crashed. */
export const failMode = (failure: Failure | null): FailMode =>
  FAIL_MODE[failure !== null && Object.hasOwn(FAIL_MODE, failure) ? failure : "crash"];
