import { type Static, Type } from "@sinclair/typebox";
import { SSL_MODES } from "./tls.ts";
import { AllowedMigration } from "../tables/allowed-migration.ts";

const Pem = (what: string) => Type.Optional(Type.String({ description: `${what}: PEM text, or the path of a PEM file.` }));

export const Config = Type.Object(
  {
    url: Type.String({ pattern: "^postgres(ql)?://", secret: true, description: "`postgres://user:password@host:5432/database`." }),
    poolSize: Type.Integer({
      minimum: 1,
      maximum: 500,
      default: 12,
      description: "Connections for requests. One more hears the feed, and logs have their own.",
    }),
    logsPoolSize: Type.Integer({ minimum: 1, maximum: 100, default: 3, description: "Connections for writing and reading logs." }),
    ssl: Type.Optional(
      Type.Union(
        SSL_MODES.map((mode) => Type.Literal(mode)),
        {
          description:
            "TLS: PREFERRED encrypts when the server can, REQUIRED insists, VERIFY_CA also checks who signed the certificate, VERIFY_IDENTITY also that it names the host. `Amazon RDS` is VERIFY_IDENTITY with the provider's bundle in sslCa. Without it the URL's sslmode decides, else PREFERRED.",
        },
      ),
    ),
    sslCa: Pem("Certificates of the authorities to trust"),
    sslCert: Pem("Client certificate"),
    sslKey: Type.Optional(
      Type.String({ secret: true, description: "Key of the client certificate: PEM text, or the path of a PEM file." }),
    ),
    statementTimeoutMs: Type.Integer({
      minimum: 50,
      maximum: 60_000,
      default: 1500,
      description: "How long a request waits for one statement.",
    }),
    logsTimeoutMs: Type.Integer({
      minimum: 50,
      maximum: 600_000,
      default: 30_000,
      description: "How long one statement on logs may take.",
    }),
    connectTimeoutMs: Type.Integer({ minimum: 50, maximum: 60_000, default: 1500, description: "How long a connection may take to open." }),
    prepare: Type.Boolean({
      default: true,
      description: "Keep statements prepared on the server; `false` behind a pooler in transaction mode.",
    }),
    allowDestructiveMigration: AllowedMigration,
  },
  { additionalProperties: false },
);
export type Config = Static<typeof Config>;
