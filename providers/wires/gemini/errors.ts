import { type ErrorRead, isJson, UpstreamFailure } from "#contract";

/** Reads `{error: {code, message, status}}`, which sometimes comes as the only element of a list. */
export function readError(_status: number, body: unknown): ErrorRead {
  const holder: unknown = Array.isArray(body) ? body[0] : body;
  const error = isJson(holder) && isJson(holder.error) ? holder.error : {};
  return {
    ...(typeof error.message === "string" && { message: error.message }),
    ...(typeof error.status === "string" && { type: error.status }),
    ...(error.code !== undefined && { code: String(error.code) }),
    ...retryAfter(error.details),
  };
}
/** `RetryInfo` among the details: the wire has no header for it. */
function retryAfter(details: unknown): Pick<ErrorRead, "retryAfterSec"> {
  const delays = Array.isArray(details) ? details.filter(isJson).map(({ retryDelay }) => DELAY.exec(String(retryDelay))?.[1]) : [];
  const delay = delays.find((seconds) => seconds !== undefined);
  return delay === undefined ? {} : { retryAfterSec: Math.ceil(Number(delay)) };
}
/** `34s`, `7.249s` */
const DELAY = /^(\d{1,9}(?:\.\d{1,9})?)s$/;

/** An error that came as a chunk of a stream, or as the body of a 200. */
export function failure(body: unknown): UpstreamFailure {
  const { message = "Google reported an error without a message.", type = "INTERNAL", code = null, retryAfterSec } = readError(0, body);
  const status = Number(code);
  return new UpstreamFailure(status >= 400 && status < 600 ? status : 500, { message, type, param: null, code }, retryAfterSec);
}
