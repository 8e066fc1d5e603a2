import { expect, test } from "bun:test";
import { Integrations, type RecordOf } from "#contract";
import { tenants } from "../../../tests/kit/tenants.ts";
import { turnsDuring } from "../../../tests/kit/turns.ts";
import { judgedModels } from "./judge-models.ts";

const FULL = 990;
const modelsOf = (value: string) =>
  Array.from({ length: FULL }, (_, i) => ({
    ...{ slug: `model-${i}`, enabled: true, is_custom: true },
    configurations: { custom_headers: { "x-tenant": `${value} ${i}` } },
  }));

test("as many models as an integration holds are sealed and compared in slices, so that others have their turn", async () => {
  const { handles } = await tenants([Integrations]);
  const input = { ...handles, body: {} };
  const record = { key_sealed: null, configurations: null, models: null } as unknown as RecordOf<typeof Integrations>; // what is looked at
  let models: Awaited<ReturnType<typeof judgedModels>> = [];
  const judge = async (value: string): Promise<void> => {
    models = await judgedModels(modelsOf(value), { ...record, models: [...models] }, input);
  };
  for (const value of ["first", "second"]) {
    expect(await turnsDuring(() => judge(value))).toBeGreaterThan(FULL / 25);
    expect(models).toHaveLength(FULL);
  }
});
