import { describe, expect, test } from "bun:test";
import type { ErrorClass, Json } from "#contract";
import { callOf } from "../../../tests/kit/call.ts";
import { active, depsWith, madeCheck } from "../../../tests/kit/guardrail.ts";
import { verifies } from "../../../tests/requirements/verifies.ts";
import { nothingSpent } from "../../compute/allowance.ts";
import { FAIL_MODE } from "./fail-mode.ts";
import { guardInput } from "./guard.ts";
import type { Failure } from "./types.ts";

const call = callOf({ model: "m", messages: [{ role: "user", content: "hi" }] });
const view = {
  ...{ provider: "p", model: "m", metadata: {}, spending: nothingSpent(), tenant: "w" },
  tenantIds: { organisationId: "o", workspaceId: "w" },
};
/** A check that cannot judge, for this reason. */
const failing = (failure: Failure) =>
  madeCheck(
    "fails",
    () =>
      failure === "bad_transform"
        ? { verdict: "transform", patches: [{ path: "nowhere", text: "x" }] }
        : { verdict: "error", class: failure as ErrorClass, message: "as this test says" }, // `not_running` is none that a check says, and is read alike
    { transforms: true },
  );
const CLASSES = Object.keys(FAIL_MODE) as Failure[]; // the table's own keys

describe("an error of a check", () => {
  for (const failure of CLASSES)
    for (const deny of [true, false])
      for (const failOnError of [undefined, true, false])
        test(verifies("G.engine.fail-mode", `of class ${failure}, deny ${deny}, failOnError ${failOnError}`), async () => {
          const params: Json = failOnError === undefined ? {} : { failOnError };
          const deps = depsWith([failing(failure)]);
          const { denied, failed, results } = await guardInput(active([{ "test.fails": params, deny }], deps), call, view, deps);
          const opens = FAIL_MODE[failure].opens(failOnError ?? null, deny);
          expect({ denied, failed }).toEqual({ denied: deny && !opens, failed: !opens });
          expect(results[0]?.checks[0]).toMatchObject({ verdict: false, error: { name: FAIL_MODE[failure].name } });
        });
});
