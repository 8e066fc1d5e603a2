import { type PassedField, passedField, PassingForm } from "./passing-form.ts";

/** Bytes of a text: as they come, they are copied with each piece. */
const MAX_TEXT = 128 * 1024;

/** A field of a form that has been read, as if it had passed. */
export const readField = (name: string, text: string): PassedField => passedField(name, text, MAX_TEXT);

/** Every text field of a form that passes by. */
export class PassingTexts {
  private fields: PassedField[] = [];
  private readonly form: PassingForm;

  constructor(contentType: string) {
    this.form = new PassingForm(contentType, { mostBytes: MAX_TEXT, seeks: () => true, found: (field) => void this.fields.push(field) });
  }
  /** Says which fields have passed since it was asked last. */
  add(piece: Uint8Array): readonly PassedField[] {
    this.form.add(piece);
    return this.taken();
  }
  /** The form has no more bytes. */
  end(): void {
    this.form.end();
  }
  private taken(): readonly PassedField[] {
    const { fields } = this;
    if (fields.length > 0) this.fields = [];
    return fields;
  }
}
