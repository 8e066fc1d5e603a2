import { Type } from "@sinclair/typebox";
import { definePlugin } from "#contract";
import { AUTH } from "./auth.ts";
import { accessKeys } from "./access-keys.ts";
import { reader } from "./read.ts";

/** One word, or nothing. */
const text = (description: string) => Type.String({ default: "", pattern: "^[!-~]*$", maxLength: 2_048, description });
/** A path may have blanks in its names. */
const path = (description: string) => Type.String({ default: "", pattern: "^[^\\x00-\\x1f]*$", maxLength: 4_096, description });

/** Secrets that tenants keep in AWS Secrets Manager. */
export default definePlugin({
  kind: "secret",
  config: Type.Object(
    {
      accessKeyId: text("Access key that the gateway assumes tenants' roles with."),
      secretAccessKey: Type.String({ default: "", secret: true, description: "Its secret." }),
      serviceRoleArn: text("Role of the gateway's own service account."),
      serviceTokenFile: path("File with the token of that account."),
      region: text("Region where a reference names none."),
    },
    { additionalProperties: false },
  ),
  needs: ["net:*.amazonaws.com"],
  setup: ({ fetch, now }, config) => ({
    provides: { manager: "aws_sm", auth: AUTH, read: reader({ send: fetch, now, config }, accessKeys({ send: fetch, now, config })) },
  }),
});
