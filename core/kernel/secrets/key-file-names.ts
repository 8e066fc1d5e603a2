/** Files of the data folder: the secret key, and the first keys. */
export const SECRET_KEY_FILE = "secret.key";
export const ADMIN_KEY_FILE = "admin.key";
export const GATEWAY_KEY_FILE = "gateway.key";
