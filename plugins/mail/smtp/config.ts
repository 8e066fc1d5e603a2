import { type Static, Type } from "@sinclair/typebox";
import { OneOf } from "#contract";

export const TLS_MODES = ["starttls", "tls", "none"] as const;
type TlsMode = (typeof TLS_MODES)[number];
/** Where mail servers listen, by how they are spoken to. */
const PORTS: Readonly<Record<TlsMode, number>> = { starttls: 587, tls: 465, none: 25 };

/** Text on one line. */
const LINE = "^[^\\x00-\\x1f\\x7f]+$";

export const Config = Type.Object(
  {
    host: Type.String({ pattern: "^[A-Za-z0-9.:_-]+$", maxLength: 255, description: "Mail server; it may have a private address." }),
    port: Type.Optional(
      Type.Integer({ minimum: 1, maximum: 65_535, description: "Its port; 587 with starttls, 465 with tls, 25 with none." }),
    ),
    user: Type.Optional(Type.String({ pattern: LINE, maxLength: 512, description: "Account there, if it asks for one." })),
    password: Type.Optional(Type.String({ pattern: LINE, maxLength: 4096, secret: true, description: "The account's password." })),
    from: Type.String({
      pattern:
        '^([^<>"\\x00-\\x1f\\x7f]*<[^\\s<>@"\\x00-\\x1f\\x7f]+@[^\\s<>@"\\x00-\\x1f\\x7f]+>|[^\\s<>@"\\x00-\\x1f\\x7f]+@[^\\s<>@"\\x00-\\x1f\\x7f]+)$',
      maxLength: 512,
      description: "Who mails are from: `gateway@example.org`, or `AI gateway <gateway@example.org>`.",
    }),
    tls: OneOf(TLS_MODES, {
      default: "starttls",
      description:
        "`starttls` insists that the server encrypts before anything is said, `tls` connects encrypted, `none` encrypts nothing and is for a relay on the same machine or network that asks for no password.",
    }),
    tlsCa: Type.Optional(
      Type.String({
        pattern: "^[^\\x00-\\x08\\x0b\\x0c\\x0e-\\x1f\\x7f]+$",
        description: "Certificates of the authorities to trust in place of the usual ones: PEM text, or the path of a PEM file.",
      }),
    ),
  },
  { additionalProperties: false },
);
export type Config = Static<typeof Config>;

export const portOf = ({ port, tls }: Pick<Config, "port" | "tls">): number => port ?? PORTS[tls];
