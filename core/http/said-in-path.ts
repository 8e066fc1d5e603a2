import { after, type Body, type Json, type MaybePromise, type Operation } from "#contract";
import type { Params } from "./mount.ts";

/**
 * The body with what the path says of it, so that everybody finds it where it mostly is. Its text stays as it came:
 * a provider of the same operation gets that, unless it says of itself what the path says.
 */
export function withPath(body: MaybePromise<Body>, { inPath }: Operation, params: Params): MaybePromise<Body> {
  if (inPath === undefined) return body;
  return after(body, (read) => {
    if (read.kind !== "json") return read;
    const { model, stream, ...rest } = read.value;
    const value: Json = { ...rest, model: params["model"] ?? "", ...(inPath.includes("stream") && { stream: true }) };
    return { kind: "json", value, text: model === undefined && stream === undefined ? read.text : null };
  });
}
