/**
 * Python writes JSON with all non-ASCII characters escaped (`Z\u00fcrich`). Without the escapes, the text has the same meaning, and users
 * can read and search it. Nothing else changes: numbers, whitespace and the order of keys stay as sent.
 */

const ESCAPE = '\\u'
const ESCAPE_LENGTH = 6
const NESTED_DEPTH_MAX = 4
const CHARACTERS_MAX = 4 * 1024 * 1024

/** Text that does not start like a JSON object, list or string stays unchanged. */
export function unescapeJson(text: string): string {
  if (!text.includes(ESCAPE) || text.length > CHARACTERS_MAX || !JSON_BEGINNING.test(text)) return text
  return text.includes(NESTED_ESCAPE) ? unescapeStrings(text, NESTED_DEPTH_MAX) : unescapePlain(text)
}

const NESTED_ESCAPE = '\\\\u'
const JSON_BEGINNING = /^\s*[[{"]/
const ESCAPES = /\\(?:u([0-9a-f]{4})(?:\\u(d[c-f][0-9a-f]{2}))?|.)/gis
const STRING = /"(?:[^"\\]|\\.)*"/gs

/** If no backslash is escaped, the text between escapes need not be checked. */
function unescapePlain(text: string): string {
  let unescaped = ''
  let from = 0
  for (let at = text.indexOf(ESCAPE); at !== -1; at = text.indexOf(ESCAPE, Math.max(from, at + 2))) {
    const code = codeAt(text, at)
    const second = isFirstHalf(code) ? codeAt(text, at + ESCAPE_LENGTH) : Number.NaN
    if (isSecondHalf(second)) {
      unescaped += text.slice(from, at) + String.fromCharCode(code, second)
      from = at + 2 * ESCAPE_LENGTH
    } else if (isReadable(code)) {
      unescaped += text.slice(from, at) + String.fromCharCode(code)
      from = at + ESCAPE_LENGTH
    }
  }
  return unescaped + text.slice(from)
}

/** The code of the escape at this position; NaN if there is none. */
function codeAt(text: string, at: number): number {
  if (!text.startsWith(ESCAPE, at)) return Number.NaN
  let code = 0
  for (let place = at + 2; place < at + ESCAPE_LENGTH; place += 1) code = code * 16 + digitAt(text, place)
  return code
}

function digitAt(text: string, place: number): number {
  const code = text.charCodeAt(place)
  if (code >= 0x30 && code <= 0x39) return code - 0x30
  const letter = code | 0x20
  return letter >= 0x61 && letter <= 0x66 ? letter - 0x57 : Number.NaN
}

function unescapeStrings(json: string, depthLeft: number): string {
  return json.replace(STRING, (string) => (string.includes(ESCAPE) ? unescapeString(string, depthLeft) : string))
}

/** One string of the JSON, including its quotes. */
function unescapeString(string: string, depthLeft: number): string {
  const unescaped = string.replace(ESCAPES, readable)
  // A string that contains JSON, such as the arguments of a tool call, has nested escapes.
  if (depthLeft === 0 || !unescaped.includes(NESTED_ESCAPE)) return unescaped
  const inner = innerText(unescaped)
  return inner === undefined ? unescaped : JSON.stringify(unescapeStrings(inner, depthLeft - 1))
}

/** The content of the string if it is JSON. In other text, a backslash may be literal. */
function innerText(string: string): string | undefined {
  try {
    const inner: string = JSON.parse(string)
    if (!JSON_BEGINNING.test(inner)) return undefined
    JSON.parse(inner)
    return inner
  } catch {
    return undefined
  }
}

/** The characters of an escape if JSON allows them unescaped; otherwise the escape. */
function readable(sequence: string, first: string | undefined, second: string | undefined): string {
  if (first === undefined) return sequence
  const code = Number.parseInt(first, 16)
  if (second !== undefined && isFirstHalf(code)) return String.fromCharCode(code, Number.parseInt(second, 16))
  // A second half without a first half stays escaped, regardless of what precedes it.
  if (second !== undefined) return readable(sequence.slice(0, ESCAPE_LENGTH), first, undefined) + sequence.slice(6)
  return isReadable(code) ? String.fromCharCode(code) : sequence
}

function isFirstHalf(code: number): boolean {
  return code >= 0xd800 && code <= 0xdbff
}

function isSecondHalf(code: number): boolean {
  return code >= 0xdc00 && code <= 0xdfff
}

/** Control and ASCII characters stay escaped: quotes and backslashes have a meaning, and senders escape the others on purpose. */
function isReadable(code: number): boolean {
  return code >= 0xa0 && !isFirstHalf(code) && !isSecondHalf(code)
}
