import type { Segment } from "#contract";
import type { Category } from "./entity.ts";
import { type Searched, searchedIn } from "./search.ts";

/** A search that several checks take further, each in its own turns: together they do it once. */
class Search {
  private readonly work: Generator<undefined, readonly Searched[]>;
  private found: readonly Searched[] | undefined;
  private failure: { readonly thrown: unknown } | undefined;
  constructor(segments: readonly Segment[], categories: ReadonlySet<Category>) {
    this.work = searchedIn(segments, categories);
  }
  /** What was found, when the search is over. */
  goOn(): readonly Searched[] | undefined {
    if (this.failure) throw this.failure.thrown;
    if (this.found) return this.found;
    try {
      const step = this.work.next();
      if (step.done) this.found = step.value;
    } catch (thrown) {
      this.failure = { thrown };
      throw thrown;
    }
    return this.found;
  }
}

/** Searches by the segments that a request shows its checks, which are gone with the request. */
const searches = new WeakMap<readonly Segment[], Map<string, Search>>();

function searchFor(segments: readonly Segment[], categories: readonly Category[]): Search {
  const ofSegments = searches.get(segments) ?? new Map<string, Search>();
  searches.set(segments, ofSegments);
  const wanted = new Set(categories);
  const key = [...wanted].sort().join(" ");
  const search = ofSegments.get(key) ?? new Search(segments, wanted);
  ofSegments.set(key, search);
  return search;
}

/** What the segments hold: checks of one request that look for the same categories in the same texts share one search. */
export function* sharedSearch(segments: readonly Segment[], categories: readonly Category[]): Generator<undefined, readonly Searched[]> {
  const search = searchFor(segments, categories);
  while (true) {
    const found = search.goOn();
    if (found) return found;
    yield;
  }
}
