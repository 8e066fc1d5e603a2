import type { Logger } from "#contract";
import type { Provided } from "../../kernel/generation.ts";
import type { MaybePromise } from "../../kernel/process/maybe-promise.ts";
import { pluginAnswer } from "../../kernel/process/plugin-answer.ts";
import { entering } from "../../kernel/process/watchdog/marks.ts";

/** Plugins of a kind, what each is asked, and for how long it is waited for. */
interface Askable<P, Q, A> {
  readonly plugins: readonly Provided<P>[];
  ask(provides: P, question: Q): MaybePromise<A | undefined>;
  readonly limitMs: number;
  readonly log: Logger;
}

/**
 * Asks plugins in their order what one of them may know: the first answer counts. One that fails or does not answer in time
 * knows nothing, and the log names it. No promise where no plugin gives one.
 */
export const firstKnown =
  <P, Q, A>(askable: Askable<P, Q, A>) =>
  (question: Q): MaybePromise<A | undefined> =>
    knownFrom(0, question, askable);

function knownFrom<P, Q, A>(place: number, question: Q, askable: Askable<P, Q, A>): MaybePromise<A | undefined> {
  const plugin = askable.plugins[place];
  if (!plugin) return undefined;
  const answer = answerOf(plugin, question, askable);
  if (answer instanceof Promise) return answer.then((known) => known ?? knownFrom(place + 1, question, askable));
  return answer ?? knownFrom(place + 1, question, askable);
}

function answerOf<P, Q, A>(plugin: Provided<P>, question: Q, { ask, limitMs, log }: Askable<P, Q, A>): MaybePromise<A | undefined> {
  const { name, provides, mark = 0 } = plugin;
  try {
    entering(mark);
    const answer = pluginAnswer(ask(provides, question), limitMs, name, mark);
    return answer instanceof Promise ? answer.catch((thrown: unknown) => unanswered(name, thrown, log)) : answer;
  } catch (thrown) {
    return unanswered(name, thrown, log);
  }
}
const unanswered = (plugin: string, thrown: unknown, log: Logger): undefined =>
  void log("error", "plugin did not answer", { plugin, why: thrown });
