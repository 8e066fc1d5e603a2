/** Long work lets others have their turn: the event loop goes round before it goes on. */
export const nextTurn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));
