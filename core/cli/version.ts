import packageInfo from "../../package.json" with { type: "json" };

/** `gateway version`: the same that `GET /v1/health` answers. */
export async function version(): Promise<number> {
  console.log(packageInfo.version);
  return 0;
}
