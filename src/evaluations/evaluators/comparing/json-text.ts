/** JSON in the texts of traces and items, which may be anything that anybody sent. */

/** Deeper values are not compared: what walks through them may call itself. */
const JSON_DEPTH_MAX = 500

export type ReadJson = { value: unknown } | { problem: string }

export function readJson(text: string): ReadJson {
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch (error) {
    return {
      problem: `is not JSON: ${error instanceof Error ? error.message.replace(/ in JSON(?= at)/, '') : 'unreadable'}`,
    }
  }
  return isDeep(value) ? { problem: `is nested deeper than ${JSON_DEPTH_MAX} levels` } : { value }
}

/** Whether a text means to be an object or an array, well-formed or not. Prose, numbers and words do not. */
export function looksLikeJson(text: string): boolean {
  return /^\s*[[{]/.test(text)
}

/** Level by level, because a function that calls itself is what must be protected. */
function isDeep(value: unknown): boolean {
  let level: unknown[] = [value]
  for (let depth = 0; depth <= JSON_DEPTH_MAX; depth += 1) {
    level = level.flatMap((entry) => (typeof entry === 'object' && entry !== null ? Object.values(entry) : []))
    if (level.length === 0) return false
  }
  return true
}
