/** A thread creates little garbage at a time; without a limit each would reserve tens of megabytes for it. */
export const THREAD_LIMITS = { maxYoungGenerationSizeMb: 8 }
