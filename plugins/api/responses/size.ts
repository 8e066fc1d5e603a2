/** Characters of all texts and names in a value, as far as there are no more than `most`: what is beyond it is not looked at. */
export function charactersIn(value: unknown, most: number): number {
  let sum = 0;
  const waiting: unknown[] = [value];
  while (waiting.length > 0 && sum <= most) {
    const next = waiting.pop();
    if (typeof next === "string") sum += next.length;
    else if (Array.isArray(next)) for (const item of next) waiting.push(item);
    else if (typeof next === "object" && next !== null)
      for (const [name, member] of Object.entries(next)) {
        sum += name.length;
        waiting.push(member);
      }
  }
  return sum;
}
