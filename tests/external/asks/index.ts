import { Type } from "@sinclair/typebox";
import {
  type Asker,
  type Caller,
  type Check,
  type CheckInput,
  defineCheck,
  definePlugin,
  type Dispatch,
  isJson,
  type Json,
} from "#contract";

const Params = Type.Object({
  ask: Type.Object({}, { additionalProperties: true, description: "What it asks." }),
  times: Type.Integer({ default: 1, description: "How often, at once." }),
  as: Type.Optional(
    Type.Object({}, { additionalProperties: true, description: "For whom, instead of the request's asker; its scopes are a list." }),
  ),
});
type Input = CheckInput<{ ask: Json; times: number; as?: Json }>;

/** A check that asks whatever it is told, for whomever it is told, and does not say that it asks. */
const model = (dispatch: Dispatch): Check =>
  defineCheck({
    id: "asks.model",
    title: "Asks a model",
    on: ["input"],
    params: Params,
    timeoutMs: 30_000,
    async run(input: Input) {
      const { asker, params } = input;
      const as = params.as === undefined ? asker : pretended(params.as, asker);
      const answers = await Promise.all(Array.from({ length: params.times }, () => answered(dispatch, input, as)));
      return { verdict: "allow", data: { asker: Object.keys(asker), answers } };
    },
  });

const pretended = (as: Json, asker: Asker): Caller =>
  ({ ...asker, ...as, ...(Array.isArray(as["scopes"]) && { scopes: new Set(as["scopes"]) }) }) as unknown as Caller; // what nobody should pass is what is tested

async function answered(dispatch: Dispatch, { params, signal }: Input, as: Asker): Promise<Json> {
  try {
    const response = await dispatch({ ...params.ask, by: "asks.model", signal } as Parameters<Dispatch>[0], as);
    const body: unknown = await response.json();
    return { status: response.status, ...(isJson(body) && { body }) };
  } catch (thrown) {
    const { code, message } = thrown as { code?: string; message: string }; // errors of the gateway have a code
    return { code, message };
  }
}

export default definePlugin({
  kind: "guardrail",
  config: Type.Object({}, { additionalProperties: false }),
  needs: ["dispatch"],
  setup: ({ dispatch }) => ({ provides: { checks: [model(dispatch)] } }),
});
