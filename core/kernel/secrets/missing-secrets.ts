import { type Kind, type Manifest, pluginName } from "#contract";

/** Secrets that plugins asked for and did not get, as they were last looked for. */
export interface MissingSecrets {
  found(plugin: string, secret: string): void;
  /** Says whether that is news. */
  lost(plugin: string, secret: string, why: string): boolean;
  /** What the plugin lacks, as sentences. */
  of(manifest: Manifest): readonly string[];
}

export function missingSecrets(): MissingSecrets {
  const byPlugin = new Map<string, Map<string, string>>();
  return {
    found: (plugin, secret) => void byPlugin.get(plugin)?.delete(secret),
    lost(plugin, secret, why) {
      const lacks = byPlugin.get(plugin) ?? new Map<string, string>();
      byPlugin.set(plugin, lacks);
      const isNews = lacks.get(secret) !== why;
      lacks.set(secret, why);
      return isNews;
    },
    of: (manifest) => [...(byPlugin.get(pluginName(manifest)) ?? [])].map(([secret, why]) => lackOf(manifest.kind, secret, why)),
  };
}

/** What follows from it, by the kind of what lacks it. */
const SO: { readonly [K in Kind]?: string } = {
  guardrail: " Until then its checks cannot judge, and a guardrail that denies stays shut.",
  exporter: " Until then nothing reaches it.",
};
export const lackOf = (kind: Kind, secret: string, why: string): string => `The secret ${secret} is missing: ${why}.${SO[kind] ?? ""}`;

/** A provider's own secrets are one way among others to ask it; whatever else names one cannot work without. */
export const secretsWanted = ({ kind, needs = [] }: Manifest): readonly string[] =>
  kind === "provider" ? [] : needs.filter((need) => need.startsWith("secret:")).map((need) => need.slice("secret:".length));
