import { addresses } from "./address.ts";
import { cards } from "./card.ts";
import { emails } from "./email.ts";
import type { Category, Entity, Finder, Span } from "./entity.ts";
import { ipAddresses } from "./ip.ts";
import { names } from "./name.ts";
import { phones } from "./phone.ts";
import { ssns } from "./ssn.ts";

/** Whoever stands first keeps what two have found: a card is no phone, and a street's name is nobody's. */
const FINDERS: Readonly<Record<Exclude<Category, "NAME">, Finder>> = {
  EMAIL_ADDRESS: emails,
  IP_ADDRESS: ipAddresses,
  CREDIT_CARD: cards,
  SSN: ssns,
  LOCATION_ADDRESS: addresses,
  PHONE_NUMBER: phones,
};

/** What a text holds of these categories, in its order. What another category has a better claim to is no value of these. */
export function* entitiesIn(text: string, categories: ReadonlySet<Category>): Generator<undefined, readonly Entity[]> {
  const claimed: Entity[] = [];
  for (const [category, find] of Object.entries(FINDERS) as [Category, Finder][]) {
    claim(claimed, category, find(text));
    yield; // a text made to be slow is slow for each of them
  }
  if (categories.has("NAME")) claim(claimed, "NAME", yield* names(text));
  return claimed.filter(({ category }) => categories.has(category)).sort((one, other) => one.start - other.start);
}

function claim(claimed: Entity[], category: Category, spans: readonly Span[]): void {
  const free = spans.filter((span) => !claimed.some((other) => span.start < other.end && other.start < span.end));
  claimed.push(...free.map((span) => ({ category, ...span })));
}
