const DEPTH_MAX = 64
const CHARACTERS_MAX = 4 * 1024 * 1024

export type JsonObject = { [key: string]: unknown }

/**
 * Parses a text that may be a JSON object or list. Returns undefined for any other text, and for JSON that is too large or too deep for
 * the rest of the program: it then stays text.
 */
export function parseGuarded(text: string): unknown {
  if (text.length > CHARACTERS_MAX || !looksLikeJson(text)) return undefined
  try {
    const value: unknown = JSON.parse(text)
    // A short text cannot exceed the depth, so the check is skipped.
    return text.length > 2 * DEPTH_MAX && isDeeperThan(value, DEPTH_MAX) ? undefined : value
  } catch {
    // Text that only starts like JSON is common, and is treated as text.
    return undefined
  }
}

/** Several fields are read from the same attribute in sequence, so the last parsed value is cached. */
let lastParsed: { text: string; value: unknown } = { text: '', value: undefined }
/** Longer texts are not cached, because they would occupy memory until the next one. */
const REMEMBERED_LENGTH_MAX = 1024 * 1024

/** The caller must not modify the value. */
function parseOnce(text: string): unknown {
  if (text === lastParsed.text) return lastParsed.value
  const value = parseGuarded(text)
  if (text.length <= REMEMBERED_LENGTH_MAX) lastParsed = { text, value }
  return value
}

/** An object that was sent as an object or as JSON. The caller must not modify it. */
export function asJsonObject(value: unknown): JsonObject | undefined {
  const parsed = typeof value === 'string' ? parseOnce(value) : value
  return isJsonObject(parsed) ? parsed : undefined
}

/** A list that was sent as a list or as JSON. The caller must not modify it. */
export function asJsonList(value: unknown): readonly unknown[] | undefined {
  const parsed = typeof value === 'string' ? parseOnce(value) : value
  return Array.isArray(parsed) ? parsed : undefined
}

/** The JSON of a structured value; undefined if it is too deep to serialize. */
export function stringifyGuarded(value: unknown): string | undefined {
  try {
    return JSON.stringify(value)
  } catch {
    // The stack overflows only far beyond any meaningful depth.
    return undefined
  }
}

export function isJsonObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** Not by `Object.values`, which needs four times as long for an object with thousands of fields. */
export function someField(value: object, test: (entry: unknown) => boolean): boolean {
  const fields: JsonObject = Object(value)
  return Object.keys(fields).some((name) => test(fields[name]))
}

function looksLikeJson(text: string): boolean {
  for (let index = 0; index < text.length; index += 1) {
    const code = text.charCodeAt(index)
    if (code === 0x7b || code === 0x5b) return true
    if (code !== 0x20 && code !== 0x0a && code !== 0x0d && code !== 0x09) return false
  }
  return false
}

function isDeeperThan(value: unknown, depth: number): boolean {
  if (typeof value !== 'object' || value === null) return false
  if (depth === 0) return true
  if (Array.isArray(value)) return value.some((entry) => isDeeperThan(entry, depth - 1))
  return someField(value, (entry) => isDeeperThan(entry, depth - 1))
}
