import type { Json } from "#contract";
import { CATEGORIES } from "../../moderation/category.ts";

/** A case names every category that its text is of, the wider ones among them. */
export default {
  params: () => ({ categories: CATEGORIES }),
  expected: ({ categories }: Json) => categories as readonly string[], // as the sets are written
  found: ({ flaggedCategories }: Json) => flaggedCategories as readonly string[], // as the check shows them
};
