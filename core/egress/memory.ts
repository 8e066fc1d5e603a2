/** What an exchange holds of the process's memory. */
export interface HeldMemory {
  /** Takes more; throws MEMORY_FULL where there is no room. */
  grow(bytes: number): void;
}
/** Where what plugins read is counted. */
export interface MemoryCounter {
  hold(): HeldMemory & { release(): void };
}
