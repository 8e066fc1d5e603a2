import type { Json } from "#contract";

const TYPES: Readonly<Record<number, string>> = {
  400: "invalid_request_error",
  401: "authentication_error",
  403: "permission_error",
  404: "invalid_request_error",
  413: "invalid_request_error",
  429: "rate_limit_error",
};

interface RefusalBody {
  readonly message?: string | undefined;
  readonly type?: string | undefined;
  readonly param?: string | undefined;
  readonly code?: string | undefined;
  readonly retry_after?: number | undefined;
}

/** The sandbox says no, the way OpenAI does. */
export class Refusal extends Error {
  constructor(
    readonly status: number,
    private readonly error: RefusalBody = {},
  ) {
    super(error.message ?? `The sandbox was asked to answer with ${status}.`);
  }
  get body(): Json {
    const { type, param, code } = this.error;
    return {
      error: { message: this.message, type: type ?? TYPES[this.status] ?? "server_error", param: param ?? null, code: code ?? null },
    };
  }
  response(): Response {
    const { retry_after } = this.error;
    return Response.json(this.body, {
      status: this.status,
      headers: retry_after === undefined ? {} : { "retry-after": String(retry_after) },
    });
  }
}
