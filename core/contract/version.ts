/** The contract's own version. A manifest's `contract` is a semver range over it; minor versions only add. */
export const CONTRACT_VERSION = "1.0.0";
