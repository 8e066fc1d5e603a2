import { parseArgs } from "node:util";
import { nearest } from "#contract";
import { UsageError } from "./usage.ts";

/** An option as a command declares it: `takes` names its value; without it the option is a switch. */
export interface OptionHelp {
  readonly takes?: string;
  readonly about: string;
}
type OptionTable = Readonly<Record<string, OptionHelp>>;

export interface CommandLine<O extends OptionTable> {
  /** What was said of each option, in order; `true` of a switch. */
  readonly values: { readonly [Name in keyof O]?: readonly (string | true)[] };
  /** What is no option. */
  readonly words: readonly string[];
}

/** Takes a command line apart; an option that the command does not have is refused, and the nearest one named. */
export function readCommandLine<const O extends OptionTable>(
  command: string,
  args: readonly string[],
  options: O,
  program = "gateway",
): CommandLine<O> {
  const types = Object.entries(options).map(([name, { takes }]) => [name, { type: takes === undefined ? "boolean" : "string" }] as const);
  const { tokens } = parseArgs({
    args: [...args],
    options: Object.fromEntries(types),
    strict: false,
    allowPositionals: true,
    tokens: true,
  });
  const values: Record<string, (string | true)[]> = {};
  for (const token of tokens)
    if (token.kind === "option") (values[token.name] ??= []).push(optionValue(token, options, { command, program }));
  const words = tokens.flatMap((token) => (token.kind === "positional" ? [token.value] : []));
  return { values: values as CommandLine<O>["values"], words }; // each name was found in the table
}

interface OptionToken {
  readonly name: string;
  /** As it was written. */
  readonly rawName: string;
  readonly value: string | undefined;
  readonly inlineValue: boolean | undefined;
}
/** What was typed before the options. */
interface Typed {
  readonly program: string;
  readonly command: string;
}
function optionValue({ name, rawName, value, inlineValue }: OptionToken, options: OptionTable, typed: Typed): string | true {
  const { command } = typed;
  const option = Object.hasOwn(options, name) && rawName === `--${name}` ? options[name] : undefined;
  if (option === undefined) throw noOption(rawName, Object.keys(options), typed);
  if (option.takes === undefined) {
    if (value !== undefined) throw new UsageError(`The option ${rawName} takes no value.`, command);
    return true;
  }
  if (value === undefined || value === "" || (inlineValue !== true && value.startsWith("-")))
    throw new UsageError(`The option ${rawName} needs a value: ${rawName} ${option.takes}.`, command);
  return value;
}

function noOption(written: string, names: readonly string[], { program, command }: Typed): UsageError {
  const commands = [...names, "help"];
  const meant = nearest(written.replace(/^-+/, ""), commands);
  const says = meant === undefined ? `. It has ${commands.map((name) => `--${name}`).join(", ")}` : `; --${meant} was probably meant`;
  return new UsageError(`${program} ${command} has no option ${written}${says}.`, command);
}
