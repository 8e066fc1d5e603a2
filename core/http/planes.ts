import type { Plane } from "#contract";

interface PlaneWords {
  readonly title: string;
  readonly purpose: string;
  readonly key: string;
}
/** What each plane is for, and whose key opens it. */
export const PLANES: Readonly<Record<Plane, PlaneWords>> = {
  data: { title: "Data plane", purpose: "What applications ask of models:", key: "a gateway key." },
  control: { title: "Control plane", purpose: "What a workspace sets up for them:", key: "the admin key, or a key that holds the scope." },
  admin: {
    title: "Admin plane",
    purpose: "What belongs to the organisation and to the process:",
    key: "the admin key, or a key that holds the scope.",
  },
};
