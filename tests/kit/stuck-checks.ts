/**
 * Nothing interrupts JavaScript: a check that loops would hang the tests without a word. A thread of its own looks on, says
 * which check was given what, and ends the process.
 */
let watcher: Worker | undefined;
let cases = 0;

/** Runs one case under its eyes. */
export async function lookedAfter<T>(id: string, text: string, work: () => Promise<T>): Promise<T> {
  const number = ++cases;
  const shown = JSON.stringify(text.length > SHOWN ? `${text.slice(0, SHOWN)}…` : text);
  const says = `${id} was given ${shown} (${text.length} characters) and does not come back: in a gateway it would hold up everybody's requests.`;
  watcher ??= startWatcher();
  watcher.postMessage([number, says]);
  try {
    return await work();
  } finally {
    watcher.postMessage([number, null]);
  }
}
const SHOWN = 60;

/** Milliseconds of the processor: a busy machine is no fault of the check's. */
const MOST_CPU_MS = 15_000;
const LOOK_MS = 250;

function startWatcher(): Worker {
  const worker = new Worker(URL.createObjectURL(new Blob([PROGRAM], { type: "application/javascript" })));
  (worker as Worker & { unref(): void }).unref(); // the runtime has it, the web's type does not
  return worker;
}
/** A program in a text, for the kit is bundled into one file. */
const PROGRAM = `
  const { writeSync } = require("node:fs");
  const open = new Map();
  const cpuMs = () => { const { user, system } = process.cpuUsage(); return (user + system) / 1000; };
  self.onmessage = ({ data: [number, says] }) => { if (says === null) open.delete(number); else open.set(number, { says, since: cpuMs() }); };
  setInterval(() => {
    for (const { says, since } of open.values()) {
      if (cpuMs() - since < ${MOST_CPU_MS}) continue;
      writeSync(2, "\\n(fail) " + says + "\\n");
      process.kill(process.pid, "SIGKILL");
    }
  }, ${LOOK_MS});
`;
