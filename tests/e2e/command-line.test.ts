/** The command line: each command explains itself, and what there is not is refused with what was probably meant. */
import { describe, expect, test } from "bun:test";
import { SOURCE } from "./process.ts";

interface Run {
  readonly code: number;
  readonly out: string;
  readonly err: string;
}
function run(...args: string[]): Run {
  const { exitCode, stdout, stderr } = Bun.spawnSync([...SOURCE, ...args], { env: { PATH: process.env["PATH"] ?? "" } });
  return { code: exitCode, out: stdout.toString(), err: stderr.toString() };
}

const COMMANDS = [
  "serve",
  "list",
  "check",
  "hash",
  "keys",
  "organisations",
  "guardrails",
  "backup",
  "restore",
  "openapi",
  "new",
  "build",
] as const;

describe.each(COMMANDS)("gateway %s --help", (command) => {
  const { code, out, err } = run(command, "--help");
  test("says how it is called, its options, an example and its exit codes, and no other command's", () => {
    expect({ code, err }).toEqual({ code: 0, err: "" });
    expect(out).toContain(`gateway ${command}`);
    expect(out).toMatch(/--help/);
    expect(out).toMatch(new RegExp(`Example\\n {2}.*gateway ${command}`));
    expect(out).toMatch(/Exit codes: 0 .*, 1 .*, 2 /);
    for (const other of COMMANDS) if (other !== command) expect(out).not.toMatch(new RegExp(`^ {2}${other} `, "m"));
  });
});

test.each(["check", "new"])("gateway help %s says what its --help says", (command) => {
  expect(run("help", command).out).toBe(run(command, "--help").out);
});

test("the pages of plugins say what can be asked for, and print none", () => {
  const command = [SOURCE[0] ?? "", new URL("../../core/build/docs.ts", import.meta.url).pathname, "--help"];
  const { exitCode, stdout } = Bun.spawnSync(command);
  expect({ code: exitCode, out: stdout.toString() }).toEqual({
    code: 0,
    out: expect.stringContaining("npm run docs -- guardrail/default"),
  });
});

test("gateway --help lists every command, and says that each has more to say", () => {
  const { code, out } = run("--help");
  expect(code).toBe(0);
  for (const command of COMMANDS) expect(out).toMatch(new RegExp(`^ {2}${command}\\b`, "m"));
  expect(out).toContain("gateway <command> --help");
  for (const written of [["-h"], ["help"]]) expect(run(...written).out).toBe(out);
});

test("gateway --version says the version of this build", async () => {
  const { version } = await Bun.file(new URL("../../package.json", import.meta.url)).json();
  for (const written of ["--version", "version"]) expect(run(written)).toMatchObject({ code: 0, out: `${version}\n` });
});

test("the list fits a screen: only the reason at the end of a line may go beyond it", () => {
  const lines = run("list").out.split("\n");
  const reason = lines[0]?.indexOf("WHY OFF") ?? -1;
  expect(reason).toBeGreaterThan(0);
  expect(reason).toBeLessThan(100);
  for (const line of lines.slice(1)) expect(line.length < reason || line[reason - 1] === " ").toBe(true);
});

describe("a command line that cannot be followed ends with 2, and a sentence that says what would be right", () => {
  test.each<[readonly string[], string, string]>([
    [["chek"], "There is no command chek; check was probably meant.", "gateway --help"],
    [["help", "chek"], "There is no command chek; check was probably meant.", "gateway --help"],
    [["dance"], "There is no command dance. The commands are serve, list, check", "gateway --help"],
    [["constructor"], "There is no command constructor.", "gateway --help"],
    [["list", "--jsn"], "gateway list has no option --jsn; --json was probably meant.", "gateway list --help"],
    [["list", "-json"], "gateway list has no option -j.", "gateway list --help"],
    [["check", "--json"], "gateway check has no option --json. It has --profile, --help.", "gateway check --help"],
    [["--profil", "x"], "gateway serve has no option --profil; --profile was probably meant.", "gateway serve --help"],
    [["list", "--profile"], "The option --profile needs a value: --profile <p>.", "gateway list --help"],
    [["list", "--profile", "--json"], "The option --profile needs a value", "gateway list --help"],
    [["list", "--json=yes"], "The option --json takes no value.", "gateway list --help"],
    [["check", "everything"], 'gateway check takes options only; "everything" is none.', "gateway check --help"],
    [["hash"], "gateway hash takes the folder of one plugin", "gateway hash --help"],
    [["hash", "a", "--pin"], "gateway hash has no option --pin.", "gateway hash --help"],
    [["keys", "widen"], "gateway keys knows one thing to do: gateway keys narrow", "gateway keys --help"],
    [["backup", "a", "b"], "gateway backup takes one folder.", "gateway backup --help"],
    [["new", "gardrail", "x"], "There is no kind gardrail; guardrail was probably meant.", "gateway new --help"],
    [["new", "guardrail", "x", "--titel", "X"], "gateway new has no option --titel; --title was probably meant.", "gateway new --help"],
    [["build", "--outfil", "x"], "gateway build has no option --outfil; --outfile was probably meant.", "gateway build --help"],
  ])("%p", (args, says, more) => {
    const { code, out, err } = run(...args);
    expect({ code, out, err }).toEqual({ code: 2, out: "", err: expect.stringContaining(says) });
    expect(err.trimEnd().split("\n")).toHaveLength(2);
    expect(err).toContain(`See: ${more}`);
  });
});
