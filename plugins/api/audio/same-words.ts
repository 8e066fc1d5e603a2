import { nextTurn } from "#contract";

/** Characters that are compared before others have their turn. */
const AT_ONCE = 256 * 1024;

/** Do both texts say the same words, whatever blanks stand between and around them? */
export async function saysTheSame(first: string, second: string): Promise<boolean> {
  if (first === second) return true;
  const [words, others] = [wordsIn(first), wordsIn(second)];
  for (let compared = 0, pause = AT_ONCE; ; ) {
    const [word, another] = [words.next().value, others.next().value];
    if (word !== another) return false;
    if (word === undefined) return true;
    compared += word.length + 1;
    if (compared < pause) continue;
    pause = compared + AT_ONCE;
    await nextTurn();
  }
}

function* wordsIn(text: string): Generator<string, undefined> {
  for (const [word] of text.matchAll(/\S+/g)) yield word;
}
