const DATE_TIME = /^(\d{4})-(\d\d)-(\d\d)T(\d\d):(\d\d)(?::(\d\d)(?:\.(\d{1,9}))?)?(?:Z|([+-])(\d\d):(\d\d))$/i

/**
 * Parses an RFC 3339 date-time into nanoseconds since 1970; seconds are optional. Returns undefined for anything else,
 * including dates that do not exist: `Date.parse` accepts February 30 as a day in March.
 */
export function parseDateTime(text: string): bigint | undefined {
  const time = DATE_TIME.exec(text)
  if (!time) return undefined
  const ms = utcMs(time.slice(1, 7))
  const [zoneHours, zoneMinutes] = [Number(time[9] ?? 0), Number(time[10] ?? 0)]
  if (ms === undefined || zoneHours > 23 || zoneMinutes > 59) return undefined
  const zoneMs = (zoneHours * 60 + zoneMinutes) * 60_000 * (time[8] === '-' ? -1 : 1)
  return BigInt(ms - zoneMs) * 1_000_000n + BigInt((time[7] ?? '').padEnd(9, '0'))
}

/** Converts year, month, day and an optional time of day to milliseconds; undefined if there is no such day or time. */
export function utcMs(fields: readonly (string | undefined)[]): number | undefined {
  const [year = 0, month = 0, day = 0, hour = 0, minute = 0, second = 0] = fields.map((field) => Number(field ?? 0))
  const date = new Date(0)
  date.setUTCFullYear(year, month - 1, day)
  const isReal = date.getUTCMonth() === month - 1 && date.getUTCDate() === day
  if (!isReal || hour > 23 || minute > 59 || second > 59) return undefined
  return date.getTime() + ((hour * 60 + minute) * 60 + second) * 1_000
}
