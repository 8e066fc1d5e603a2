import { GatewayError, type Handles, type SecretSource } from "#contract";
import type { ProcessLog } from "./log.ts";

/** Secret sources by scheme, and where the profile says that a secret lives. */
export interface SecretParts {
  readonly sources: ReadonlyMap<string, SecretSource>;
  readonly places: Readonly<Record<string, string>>;
  readonly hide: ProcessLog["hide"];
}

/** Reads the secrets a plugin declared; every secret read is hidden from the log from then on. */
export function secretsFor(plugin: string, declared: ReadonlySet<string>, parts: SecretParts): Handles["secrets"] {
  return {
    async read(name) {
      if (!declared.has(name)) throw refused(plugin, name, "its manifest does not name it under needs");
      const place = parts.places[name] ?? `env:${name}`;
      const [scheme = "", key = ""] = splitOnce(place, ":");
      const source = parts.sources.get(scheme);
      if (!source)
        throw refused(
          plugin,
          name,
          `no running secret plugin reads ${scheme}: (there are ${[...parts.sources.keys()].join(", ") || "none"})`,
        );
      const secret = await source.read(key);
      if (secret === undefined) throw refused(plugin, name, `there is none at ${place}`);
      parts.hide(secret);
      return secret;
    },
  };
}

const splitOnce = (text: string, at: string): string[] => [text.slice(0, text.indexOf(at)), text.slice(text.indexOf(at) + 1)];

const refused = (plugin: string, name: string, why: string): GatewayError =>
  new GatewayError("PLUGIN_SETUP", { plugin, file: "manifest.json", step: `reading the secret ${name}`, why });
