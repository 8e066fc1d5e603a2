import { unreadable } from "./form-headers.ts";
import { PassingForm } from "./passing-form.ts";

/** Bytes of a value; a longer one is no name. */
const MAX_VALUE = 512;

/** One text field of a form that passes by: which model was asked for is known once the form has been sent. */
export class PassingField {
  value: string | undefined;
  /** How those parts are called that a reader could take for it. */
  private readonly spelt = new Set<string>();
  private readonly form: PassingForm;

  constructor(
    private readonly name: string,
    contentType: string,
  ) {
    this.form = new PassingForm(contentType, {
      mostBytes: MAX_VALUE,
      seeks: (called) => called === name,
      passes: (called, isFile) => this.judgeName(called, isFile),
      found: ({ text, isWhole }) => {
        if (this.value !== undefined && this.value !== text) throw unreadable(`it says twice what its ${name} is`);
        if (isWhole) this.value = text;
      },
    });
  }
  /** Some read names without case, a list's last text, or a file as a text: two such parts are two values. */
  private judgeName(called: string, isFile: boolean): void {
    if (!readAs(this.name, called)) return;
    this.spelt.add(isFile ? `${called}, a file` : called);
    if (this.spelt.size > 1)
      throw unreadable(`it has two ${this.name}s to some readers, which are ${[...this.spelt].join(" and ").slice(0, 200)}`);
  }
  add(piece: Uint8Array): void {
    this.form.add(piece);
  }
  /** The form has no more bytes. */
  end(): void {
    this.form.end();
  }
}

/** Its name in any letters, as that of one or of several, or as a list's (`name[]`, `name[0]`). */
const readAs = (name: string, called: string): boolean => {
  const [stem = ""] = called.split("[", 1);
  const capitals = stem.toUpperCase();
  return capitals === name.toUpperCase() || capitals === `${name.toUpperCase()}S`;
};
