const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;
/** Is this an id of ours, and no slug? */
export const isUuid = (text: string): boolean => UUID.test(text);
