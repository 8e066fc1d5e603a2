/** The token is not accepted, and why: a denial, no failure of the check. */
export class Refused extends Error {
  override readonly name = "Refused";
}
