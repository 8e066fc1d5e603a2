/** Does a content type say that a body is JSON? Lines of JSON are none. */
export const isJsonType = (contentType: string): boolean => JSON_TYPE.test(contentType);
const JSON_TYPE = /^\s*(?:application|text)\/(?:[\w.+-]+\+)?json\s*(?:;|$)/i;
