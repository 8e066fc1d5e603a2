const SHOWN = 2;
const SHORT = 12;
/** `Xk*******S4`: enough for people to tell secrets apart, nothing of a short one. */
export const maskSecret = (secret: string): string =>
  secret.length < SHORT ? "*".repeat(7) : `${secret.slice(0, SHOWN)}*******${secret.slice(-SHOWN)}`;
