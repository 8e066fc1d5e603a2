/** Run on Deno by `locks.test.ts`: opens the database it is given and prints how often the system's list of locks lacked its own. */
import { statSync } from "node:fs";
import { openAndRead } from "../../storage/sqlite/database.ts";
import { lockHolders } from "../../storage/sqlite/watch.ts";

const LOOKS = 10_000;
const [path = ""] = process.argv.slice(2);
const db = openAndRead(path, 1_000, "normal");
const { ino } = statSync(path, { bigint: true });
let missed = 0;
for (let look = 0; look < LOOKS; look += 1) if (!lockHolders(ino).includes(process.pid)) missed += 1;
db.close();
console.log(JSON.stringify({ missed }));
process.exit(0);
