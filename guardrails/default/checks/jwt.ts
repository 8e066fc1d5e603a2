import { type CheckInput, type Handles, messageOf, type Verdict, defineCheck, GatewayError } from "#contract";
import { forwarded } from "#contract";
import { extracted, headerOf } from "../jwt/extracted.ts";
import { Introspection } from "../jwt/introspection.ts";
import { KeySets, keysInPlace, type KeySource } from "../jwt/key-sets.ts";
import { type Jwt, JwtParams } from "../jwt/params.ts";
import { jwtProblems, urisIn } from "../jwt/problems.ts";
import { Refused } from "../jwt/refused.ts";
import { judgeClaims } from "../jwt/rules.ts";
import { type Claims, verified } from "../jwt/verified.ts";
import { decided } from "../text.ts";

type Input = CheckInput<Jwt>;

export default (host: Pick<Handles, "fetch">) => {
  const judge = new TokenJudge(host);
  return defineCheck({
    id: "default.jwt",
    title: "The client's token is valid",
    on: ["input"],
    wants: [],
    transforms: true,
    judgesPassing: () => true,
    judgesCredential: ({ headerKey }) => headerKey,
    writesHeaders: (params) => (params.extractClaims ?? []).map((claim) => headerOf(claim, params)),
    params: JwtParams,
    problems: jwtProblems,
    async run(input): Promise<Verdict> {
      try {
        const payload = await judge.payloadOf(input);
        const explanation = "The token is valid.";
        const patches = extracted(payload, input.params);
        const data = { verdict: true, explanation };
        return patches.length === 0 ? decided(true, data) : { verdict: "transform", patches, data };
      } catch (thrown) {
        if (thrown instanceof Refused) return decided(false, { verdict: false, explanation: thrown.message });
        if (!GatewayError.is(thrown) && !isTimeout(thrown)) throw thrown;
        return { verdict: "error", class: "auth", message: `The token could not be judged: ${messageOf(thrown)}` };
      }
    },
  });
};
const isTimeout = (thrown: unknown): boolean => thrown instanceof Error && thrown.name === "TimeoutError";

const MAX_TOKEN_CHARS = 16_384;

class TokenJudge {
  private readonly keySets: KeySets;
  private readonly introspection: Introspection;

  constructor(host: Pick<Handles, "fetch">) {
    this.keySets = new KeySets(host);
    this.introspection = new Introspection(host);
  }

  /** What an accepted token says; throws `Refused` for every other one. */
  async payloadOf(input: Input): Promise<object> {
    const { params, now, signal, call } = input;
    const token = tokenIn(input);
    const signed = params.jwksUri || params.jwks ? await this.signedClaims(token, input) : undefined;
    const { introspectEndpoint } = params;
    const headers = forwarded(params.forwardHeaders, call);
    const active =
      introspectEndpoint && (await this.introspection.claims({ token, params: { ...params, introspectEndpoint }, headers, now, signal }));
    const claims: Claims = signed ?? { header: { alg: "" }, payload: active || {} };
    judgeClaims(claims, params);
    return claims.payload;
  }

  private async signedClaims(token: string, input: Input): Promise<Claims> {
    const { params, now, signal } = input;
    const sources = sourcesOf(input);
    const fetched = await Promise.allSettled(sources.map((source) => this.keySets.get(source, now, signal)));
    const sets = [...(params.jwks ? [keysInPlace(params.jwks)] : []), ...fulfilled(fetched)];
    const options = {
      algorithms: [...params.algorithms],
      clockTolerance: params.clockTolerance,
      maxTokenAge: params.maxTokenAge,
      currentDate: new Date(now),
    };
    const claims = await verified(token, sets, options);
    if (claims) return claims;
    const renewed = await Promise.allSettled(sources.map((source) => this.keySets.renewed(source, now, signal)));
    const anew = await verified(token, fulfilled(renewed), options);
    if (anew) return anew;
    const failed = [...renewed, ...fetched].find(({ status }) => status === "rejected");
    if (failed?.status === "rejected") throw failed.reason; // the key may be among those that could not be had
    throw new Refused("The token names a key that is not among the keys.");
  }
}

const fulfilled = <T>(settled: readonly PromiseSettledResult<T | undefined>[]): readonly T[] =>
  settled.flatMap((one) => (one.status === "fulfilled" && one.value !== undefined ? [one.value] : []));

const sourcesOf = ({ params, call }: Input): readonly KeySource[] =>
  urisIn(params.jwksUri).map((uri) => ({
    uri,
    headers: forwarded(params.forwardHeaders, call),
    maxAgeMs: params.cacheMaxAge * 1_000,
  }));

function tokenIn({ credential, params }: Input): string {
  const token = credential?.replace(/^bearer +/i, "").trim() ?? "";
  if (token === "") throw new Refused(`The request has no token in the header ${params.headerKey}.`);
  if (token.length > MAX_TOKEN_CHARS) throw new Refused(`The token has more than ${MAX_TOKEN_CHARS} characters.`);
  return token;
}
