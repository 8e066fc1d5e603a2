import { after, type Call, type Caller, GatewayError, type MaybePromise, type OwnedIds } from "#contract";
import type { Try } from "../call/try.ts";
import { secretsIn } from "./credential.ts";
import { judgeForm } from "./form-ids.ts";
import { type IsId, isIdOf } from "./lists.ts";
import { type Naming, namedIds } from "./named-ids.ts";
import type { OwnerLookups } from "./ownership.ts";

/** Judges the ids that requests name. */
export class RequestIds {
  readonly #lookups: OwnerLookups;
  constructor(lookups: OwnerLookups) {
    this.#lookups = lookups;
  }

  judge(owned: OwnedIds, caller: Caller, named: Naming): MaybePromise<void> {
    if (owned.namedInTurns) return this.#judgePassing(owned, caller, named);
    const ids = namedIds(owned, named);
    const judged = ids.length === 0 ? undefined : this.#refuseForeign(ids, caller, named, isIdOf(owned));
    const { unfit } = owned;
    if (unfit) return Promise.resolve(judged).then(() => this.#judgeUnfit(unfit, caller, named));
    return named.call.body.kind === "json" ? judged : after(judged, () => this.#judgeFields(owned, caller, named));
  }

  async judgeModel(caller: Caller, to: Try["to"]): Promise<void> {
    const { model } = to.target;
    const { owners, askingOf } = this.#lookups;
    if ((await owners.whose(model, askingOf(caller, to))) === "another's") throw unknownId(model);
  }

  async #refuseForeign(ids: readonly string[], caller: Caller, { to }: Naming, isId: IsId): Promise<void> {
    const { owners, askingOf, seesUnrecorded } = this.#lookups;
    const asking = askingOf(caller, to);
    const all = ids.length > AT_ONCE ? await owners.whoseAll(ids, asking) : undefined;
    for (const id of ids) {
      const whose = all ? (all.get(id) ?? "unrecorded") : await owners.whose(id, asking);
      if (whose === "own" || (whose === "unrecorded" && (!isId(id) || (await seesUnrecorded(asking, to))))) continue;
      throw unknownId(id);
    }
  }

  /** Of what passes. */
  async #judgePassing(owned: OwnedIds, caller: Caller, naming: Naming): Promise<void> {
    const { call, to, body } = naming;
    if (bringsKey(to)) return;
    if (call.body.kind === "raw" && owned.isUpload?.(call.body.contentType) === false && !(await this.#lookups.servesOne(to)))
      throw notReadable(call.body.contentType);
    const inBody = (body && (await owned.namedInTurns?.(body))) ?? [];
    await this.#refuseForeign(namedIds({ ...owned, named: () => inBody }, naming), caller, naming, isIdOf(owned));
    await this.#judgeFields(owned, caller, naming);
  }

  #judgeFields(owned: OwnedIds, caller: Caller, naming: Naming): MaybePromise<void> {
    const idsOf = owned.namedInTurns ?? owned.named;
    if (idsOf === undefined) return;
    return judgeForm(naming.call.body, idsOf, (ids) => this.#refuseForeign(ids, caller, naming, isIdOf(owned)));
  }

  /** What a mounted path's own reading does not look at: its query, and a body that is not as its operation has it, or a form. */
  async #judgeUnfit(unfit: OwnedIds, caller: Caller, naming: Naming): Promise<void> {
    const { call, to } = naming;
    if (bringsKey(to)) return;
    const inQuery = call.search === "" ? NONE : (unfit.path?.("", call.search) ?? NONE);
    await this.#refuseForeign(inQuery, caller, naming, never); // of what nobody recorded much may be the place of a list
    if (isUnfit(call)) return this.#judgePassing(unfit, caller, naming);
    await this.#judgeFields(unfit, caller, naming);
  }
}

/** Who brings the key may ask its provider for anything without us. */
const bringsKey = (to: Try["to"]): boolean => to.kept === null && secretsIn(to).length > 0;
const NONE: readonly string[] = [];
const never = (): boolean => false;
const isUnfit = ({ body }: Call): boolean => body.kind === "json" && body.unfit === true;
const notReadable = (contentType: string): GatewayError =>
  new GatewayError(
    "CONTENT_TYPE",
    {
      got: contentType.slice(0, 200) || "(none)",
      expected: "application/json, or the type of a file: several workspaces share this credential",
    },
    { param: "content-type" },
  );

/** So many ids are looked up one by one, and kept in memory; more are asked for together. */
const AT_ONCE = 8;
const MAX_SHOWN = 100;
const unknownId = (id: string): GatewayError => new GatewayError("ID_UNKNOWN", { id: id.slice(0, MAX_SHOWN) });
