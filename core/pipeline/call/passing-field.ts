import { unreadable } from "./form-headers.ts";
import { PassingForm } from "./passing-form.ts";

/** Bytes of a value; a longer one is no name. */
const MAX_VALUE = 512;

/** One text field of a form that passes by: which model was asked for is known once the form has been sent. */
export class PassingField {
  value: string | undefined;
  private readonly form: PassingForm;

  constructor(name: string, contentType: string) {
    this.form = new PassingForm(contentType, {
      mostBytes: MAX_VALUE,
      seeks: (called) => called === name,
      found: ({ text, isWhole }) => {
        if (this.value !== undefined && this.value !== text) throw unreadable(`it says twice what its ${name} is`);
        if (isWhole) this.value = text;
      },
    });
  }
  add(piece: Uint8Array): void {
    this.form.add(piece);
  }
  /** The form has no more bytes. */
  end(): void {
    this.form.end();
  }
}
