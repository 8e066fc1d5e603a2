import type { Logger, MaybePromise } from "#contract";
import type { Provided } from "../../kernel/generation.ts";
import { pluginAnswer } from "../../kernel/process/plugin-answer.ts";
import { entering } from "../../kernel/process/watchdog/marks.ts";

/** What a plugin is asked, and for how long it is waited for. */
interface FirstKnownParts<P, Q, A> {
  ask(provides: P, question: Q): MaybePromise<A | undefined>;
  /** Throws what is wrong with an answer: a plugin may say anything. */
  check(answer: A, question: Q): void;
  readonly limitMs: number;
  readonly log: Logger;
}
interface Askable<P, Q, A> extends FirstKnownParts<P, Q, A> {
  readonly plugins: readonly Provided<P>[];
}
type AskablePlugin<P> = Pick<Provided<P>, "name" | "provides" | "mark">;

/**
 * Asks plugins in their order what one of them may know: the first answer counts. One that fails, does not answer in time
 * or gives no proper answer knows nothing, and the log names it. No promise where no plugin gives one.
 */
export const firstKnown =
  <P, Q, A>(askable: Askable<P, Q, A>) =>
  (question: Q): MaybePromise<A | undefined> =>
    knownFrom(0, question, askable);

function knownFrom<P, Q, A>(place: number, question: Q, askable: Askable<P, Q, A>): MaybePromise<A | undefined> {
  const plugin = askable.plugins[place];
  if (!plugin) return undefined;
  const answer = answerOf(plugin, question, askable);
  if (answer instanceof Promise) return answer.then((found) => found ?? knownFrom(place + 1, question, askable));
  return answer ?? knownFrom(place + 1, question, askable);
}

/** Of one plugin. */
export function answerOf<P, Q, A>(plugin: AskablePlugin<P>, question: Q, asking: FirstKnownParts<P, Q, A>): MaybePromise<A | undefined> {
  const { name, provides, mark = 0 } = plugin;
  try {
    entering(mark);
    const answer = pluginAnswer(asking.ask(provides, question), asking.limitMs, name, mark);
    return answer instanceof Promise ? lateAnswer(answer, question, asking, name) : checked(answer, question, asking);
  } catch (thrown) {
    return unanswered(name, thrown, asking.log);
  }
}
async function lateAnswer<P, Q, A>(
  answer: Promise<A | undefined>,
  question: Q,
  asking: FirstKnownParts<P, Q, A>,
  name: string,
): Promise<A | undefined> {
  try {
    return checked(await answer, question, asking);
  } catch (thrown) {
    return unanswered(name, thrown, asking.log);
  }
}
function checked<P, Q, A>(answer: A | undefined, question: Q, { check }: FirstKnownParts<P, Q, A>): A | undefined {
  if (answer === undefined || answer === null) return undefined;
  check(answer, question);
  return answer;
}
const unanswered = (plugin: string, thrown: unknown, log: Logger): undefined =>
  void log("error", "plugin did not answer", { plugin, why: thrown });
