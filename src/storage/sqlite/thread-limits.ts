/** A thread makes little garbage at a time; without a limit each would keep tens of megabytes for it. */
export const THREAD_LIMITS = { maxYoungGenerationSizeMb: 8 }
