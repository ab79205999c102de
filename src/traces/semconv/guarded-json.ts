const DEPTH_MAX = 64
const CHARACTERS_MAX = 4 * 1024 * 1024

export type JsonObject = { [key: string]: unknown }

/**
 * Reads a text that may be JSON of an object or a list. Gives undefined for anything else, also for what is larger or deeper than
 * what the rest of the program can walk through: it then stays the text that it is.
 */
export function parseGuarded(text: string): unknown {
  if (text.length > CHARACTERS_MAX || !looksLikeJson(text)) return undefined
  try {
    const value: unknown = JSON.parse(text)
    // A text without room for that many brackets need not be walked through.
    return text.length > 2 * DEPTH_MAX && isDeeperThan(value, DEPTH_MAX) ? undefined : value
  } catch {
    // Text that only begins like JSON is usual, and is text.
    return undefined
  }
}

/** Several fields are found inside of the same attribute, one after the other: it is parsed once for all of them. */
let lastParsed: { text: string; value: unknown } = { text: '', value: undefined }
/** A longer text is not worth the memory that it would occupy until the next one. */
const REMEMBERED_LENGTH_MAX = 1024 * 1024

/** The caller must not change the value. */
function parseOnce(text: string): unknown {
  if (text === lastParsed.text) return lastParsed.value
  const value = parseGuarded(text)
  if (text.length <= REMEMBERED_LENGTH_MAX) lastParsed = { text, value }
  return value
}

/** An object that was sent as such or as JSON. The caller must not change it. */
export function asJsonObject(value: unknown): JsonObject | undefined {
  const parsed = typeof value === 'string' ? parseOnce(value) : value
  return isJsonObject(parsed) ? parsed : undefined
}

/** A list that was sent as such or as JSON. The caller must not change it. */
export function asJsonList(value: unknown): readonly unknown[] | undefined {
  const parsed = typeof value === 'string' ? parseOnce(value) : value
  return Array.isArray(parsed) ? parsed : undefined
}

/** JSON of a value that was sent as a structure; undefined when it is too deep to be written. */
export function stringifyGuarded(value: unknown): string | undefined {
  try {
    return JSON.stringify(value)
  } catch {
    // The stack overflows long after any depth that has a meaning.
    return undefined
  }
}

export function isJsonObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
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
  for (const entry of Array.isArray(value) ? value : Object.values(value)) {
    if (typeof entry === 'object' && entry !== null && isDeeperThan(entry, depth - 1)) return true
  }
  return false
}
