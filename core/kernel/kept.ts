/** Why the generation that was asked for last does not serve, in this process and in the one that said so last. */
export interface Kept {
  here: string | undefined;
  elsewhere: string | undefined;
}
/** The same as a part of the process tells it. */
export const sentences = ({ here, elsewhere }: Kept): readonly string[] => [
  ...(here === undefined ? [] : [`The last change of the configuration was not taken, and the one before it serves: ${here}`]),
  ...(elsewhere === undefined ? [] : [`Another process did not take the last change of the configuration: ${elsewhere}`]),
];
