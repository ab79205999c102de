const TIME_MAX = 2n ** 63n - 1n

/** The nearest time, in nanoseconds since 1970, that the database can store: up to the year 2262. */
export function clampTime(timeNs: bigint): bigint {
  if (timeNs < 0n) return 0n
  return timeNs > TIME_MAX ? TIME_MAX : timeNs
}
