/** A command line that asks for something there is not. */
export class UsageError extends Error {
  constructor(
    message: string,
    /** Whose help says more. */
    readonly command?: string,
  ) {
    super(message);
  }
}

/** A command was right and could not do what it says: the sentence is all there is to know. */
export class CommandFailed extends Error {}

/** What is shown of a command line that cannot be followed: the sentence, and where the rest stands. */
export const usageHint = ({ message, command }: UsageError): string =>
  `${message}\nSee: gateway ${command === undefined ? "" : `${command} `}--help`;
