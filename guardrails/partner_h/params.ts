import { type Static, Type } from "@sinclair/typebox";
import { OneOf, vendorParams } from "#contract";

const LANGUAGES = ["english", "chinese", "spanish", "french", "german", "japanese", "gibberish"] as const;
const PII = [
  "email_address",
  "ssn",
  "person",
  "aba_routing_number",
  "address",
  "bank_account",
  "bitcoin_wallet",
  "credit_card",
  "driver_license",
  "itin_number",
  "location",
  "medical_license",
  "money_amount",
  "passport_number",
  "phone_number",
] as const;
const SECRETS = ["credentials", "aws_secret_key", "github", "openai", "stripe", "jwt", "private_key"];

const On = (what: string) => Type.Boolean({ default: true, description: `Look for ${what}.` });
const Threshold = (what: string) =>
  Type.Number({ default: 0.5, minimum: 0, maximum: 1, description: `Score from 0 to 1 at which a text fails because of ${what}.` });
const Redact = (what: string) =>
  Type.Boolean({ default: false, description: `Go on with a text without the ${what}, instead of failing.` });

export const Params = Type.Object({
  prompt_injection: On("prompt injections"),
  prompt_injection_threshold: Threshold("a prompt injection"),
  toxic: On("toxic content"),
  toxic_threshold: Threshold("toxic content"),
  jail_break: On("jailbreaks"),
  jail_break_threshold: Threshold("a jailbreak"),
  malicious_url: On("malicious URLs"),
  malicious_url_threshold: Threshold("a malicious URL"),
  biased: On("biased content"),
  biased_threshold: Threshold("biased content"),
  harmful: On("harmful content"),
  harmful_threshold: Threshold("harmful content"),
  language: On("a language"),
  language_values: OneOf(LANGUAGES, { default: "english", description: "The language that a text fails by." }),
  pii: On("personal data"),
  pii_redact: Redact("personal data"),
  pii_categories: Type.Array(OneOf(PII, { description: "Category." }), { default: [...PII], description: "Personal data to look for." }),
  secrets: On("secrets"),
  secrets_redact: Redact("secrets"),
  // The vendor has many more than are listed here, and adds to them.
  secrets_categories: Type.Array(Type.String({ pattern: "^[a-z0-9_]+$", maxLength: 64, description: "Category." }), {
    maxItems: 200,
    default: SECRETS,
    description: "Secrets to look for.",
  }),
  ...vendorParams(),
});
export type Params = Static<typeof Params>;
