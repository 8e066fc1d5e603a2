import { testStorage } from "#kit";
import { connect, type Data } from "./index.ts";

testStorage(
  "sprocket",
  () => {
    const data: Data = new Map(); // both connections of the kit see it, as two processes see one server
    return { connect: () => connect(data, { log: () => undefined, now: Date.now }), destroy: async () => undefined };
  },
  { supports: ["kv"], inMemory: true },
);
