/**
 * Python writes JSON with every character beyond ASCII escaped (`Z\u00fcrich`). The text means the same without the escapes, and only
 * then can people read it and search finds it. Nothing else of the text changes: numbers, spaces and the order of keys stay as sent.
 */

const ESCAPE = '\\u'
const ESCAPE_LENGTH = 6
const NESTED_DEPTH_MAX = 4
const CHARACTERS_MAX = 4 * 1024 * 1024

/** Leaves text alone that does not begin like JSON of an object, a list or a string. */
export function unescapeJson(text: string): string {
  if (!text.includes(ESCAPE) || text.length > CHARACTERS_MAX || !JSON_BEGINNING.test(text)) return text
  return text.includes(NESTED_ESCAPE) ? unescapeStrings(text, NESTED_DEPTH_MAX) : unescapePlain(text)
}

const NESTED_ESCAPE = '\\\\u'
const JSON_BEGINNING = /^\s*[[{"]/
const ESCAPES = /\\(?:u([0-9a-f]{4})(?:\\u(d[c-f][0-9a-f]{2}))?|.)/gis
const STRING = /"(?:[^"\\]|\\.)*"/gs

/** Where no backslash is escaped itself, the text between escapes need not be looked at. */
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

/** Of the escape that begins there; not a number if none does. */
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

/** One string of the JSON, with its quotes. */
function unescapeString(string: string, depthLeft: number): string {
  const unescaped = string.replace(ESCAPES, readable)
  // A string that is JSON itself, such as the arguments of a tool call, has escapes of its own.
  if (depthLeft === 0 || !unescaped.includes(NESTED_ESCAPE)) return unescaped
  const inner = innerText(unescaped)
  return inner === undefined ? unescaped : JSON.stringify(unescapeStrings(inner, depthLeft - 1))
}

/** What the string says, if that is JSON: elsewhere a backslash may be meant. */
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

/** The characters of an escape, where they may stand in JSON as they are; otherwise the escape. */
function readable(sequence: string, first: string | undefined, second: string | undefined): string {
  if (first === undefined) return sequence
  const code = Number.parseInt(first, 16)
  if (second !== undefined && isFirstHalf(code)) return String.fromCharCode(code, Number.parseInt(second, 16))
  // A second half without the first one stays escaped, whatever stands before it.
  if (second !== undefined) return readable(sequence.slice(0, ESCAPE_LENGTH), first, undefined) + sequence.slice(6)
  return isReadable(code) ? String.fromCharCode(code) : sequence
}

function isFirstHalf(code: number): boolean {
  return code >= 0xd800 && code <= 0xdbff
}

function isSecondHalf(code: number): boolean {
  return code >= 0xdc00 && code <= 0xdfff
}

/** Controls and ASCII stay escaped: quotes and backslashes have a meaning, and no sender escapes the rest for no reason. */
function isReadable(code: number): boolean {
  return code >= 0xa0 && !isFirstHalf(code) && !isSecondHalf(code)
}
