import { Type } from "@sinclair/typebox";
import { type CheckInput, type Handles, type HostBase, OneOf, RedactParam, remoteCheckOfEach, SAID, vendorParams } from "#contract";
import { findingOf, Reply } from "../assessment.ts";
import { type Account, Credentials } from "../credentials.ts";
import { signedForm } from "../sign.ts";

const Params = Type.Object({
  level: OneOf(["low", "medium", "high"], { default: "medium", description: "Level of risk from which a text fails." }),
  service: Type.Optional(
    Type.String({ pattern: "^\\w{1,64}$", description: "Code of the service; default: the region's own for requests, and for answers." }),
  ),
  redact: RedactParam,
  ...vendorParams(),
});
/** Characters that the vendor takes at one time. */
const MAX_TEXT = 2_000;

export default (host: Pick<Handles, "fetch"> & Pick<HostBase, "now">) =>
  remoteCheckOfEach(host, {
    id: "alibaba-cloud-ai.guard",
    title: "Content, attacks, sensitive data and malicious URLs",
    on: ["input", "output"],
    wants: SAID,
    scope: "turn",
    transforms: true,
    params: Params,
    credentials: Credentials,
    reply: Reply,
    url: (_, { region }) => `https://green-cip.${regionOr(region)}.aliyuncs.com/`,
    headers: () => ({ "content-type": "application/x-www-form-urlencoded" }),
    longest: MAX_TEXT,
    ask: ({ text }, { side, params }, account) =>
      signedForm(
        parametersOf(text, params.service ?? serviceOf(side, account.region), { ...account, now: host.now() }),
        account.accessKeySecret,
      ),
    judge: (reply, _, { params }) => findingOf(reply, params.level, params.redact),
  });

const regionOr = (region = "ap-southeast-1"): string => region;
/** Services in China have other names than those elsewhere. */
const serviceOf = (side: CheckInput<unknown>["side"], region: string | undefined): string =>
  `${side === "input" ? "query" : "response"}_security_check_${regionOr(region).startsWith("cn-") ? "pro" : "cb"}`;

const parametersOf = (text: string, service: string, { accessKeyId, now }: Pick<Account, "accessKeyId"> & { readonly now: number }) => ({
  Action: "MultiModalGuard",
  Version: "2022-03-02",
  AccessKeyId: accessKeyId,
  Timestamp: new Date(now).toISOString().replace(/\.\d{3}/, ""),
  SignatureMethod: "HMAC-SHA1",
  SignatureVersion: "1.0",
  SignatureNonce: crypto.randomUUID(),
  Format: "JSON",
  Service: service,
  ServiceParameters: JSON.stringify({ content: text }),
});
