import { section } from "./row.ts";

/** What passes to a provider as it came. */
export const dataPlaneProxy = [
  ...section("Pass-through", [
    ["D7.15.passes", "Method, path, query and body of /v1/proxy/* are relayed to the chosen provider, streamed both ways."],
    ["D7.15.prefix", "/v1/proxy/x always reaches the provider, whatever is mounted at /v1/x."],
    ["D7.15.unknown", "A path of /v1 that nobody mounts passes to the chosen provider; without one it is a route that there is not."],
    ["D7.15.methods", "A mounted path under a method that it does not have passes too."],
    ["D7.15.videos", "Video routes pass."],
    ["D7.15.usage", "The request type is proxy; usage and cost are read where the answer is recognised, and the request is logged."],
    [
      "D7.15.guarded",
      "A mounted operation's body is guarded, limited and granted by that operation; what a denying guardrail cannot read is refused.",
    ],
    ["D7.15.types", "Allowed and blocked request types are obeyed: proxy."],
    ["D7.15.webhook", "A webhook with executeOnProxy judges what passes, by method, path and content type."],
    ["D7.15.paths", "No spelling of a path reaches another host, or another place of the provider's than what was authorised."],
    ["D7.15.tenants", "An id of another workspace is not there, whichever way it is named."],
    ["D7.15.once", "A streamed upload is neither retried nor moved to another target."],
  ]),
];
