/** What a model made, by its URL: a data URL says it, of others the name tells pictures. */
export const mediaKind = (url: string): string => /^data:(image|audio)\//.exec(url)?.[1] ?? (IMAGE.test(url) ? "image" : "file");
const IMAGE = /^https?:[^?#]*\.(png|jpe?g|webp|gif)(?:[?#]|$)/i;
