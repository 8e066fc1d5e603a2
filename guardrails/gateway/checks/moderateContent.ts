import type { Check, Handles } from "#contract";
import { moderateContent } from "../moderation/check.ts";
import { lexicon } from "../moderation/lexicon.ts";

export default (host: Pick<Handles, "dispatch">): Check => moderateContent(lexicon, host);
