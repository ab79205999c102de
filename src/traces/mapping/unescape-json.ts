/**
 * Python writes JSON with every character beyond ASCII escaped (`Z\u00fcrich`). The text means the same without the escapes, and only
 * then can people read it and search finds it. Nothing else of the text changes: numbers, spaces and the order of keys stay as sent.
 */

const ESCAPE = '\\u'
const NESTED_DEPTH_MAX = 4
const CHARACTERS_MAX = 4 * 1024 * 1024

/** Leaves text alone that is not JSON of an object, a list or a string. */
export function unescapeJson(text: string): string {
  if (!text.includes(ESCAPE) || text.length > CHARACTERS_MAX || !isJson(text)) return text
  return unescapeStrings(text, NESTED_DEPTH_MAX)
}

function isJson(text: string): boolean {
  if (!/^\s*[[{"]/.test(text)) return false
  try {
    JSON.parse(text)
    return true
  } catch {
    // Text that only begins like JSON may mean its backslashes literally.
    return false
  }
}

const STRING = /"(?:[^"\\]|\\.)*"/gs

function unescapeStrings(json: string, depthLeft: number): string {
  return json.replace(STRING, (string) => (string.includes(ESCAPE) ? unescapeString(string, depthLeft) : string))
}

/** One string of the JSON, with its quotes. */
function unescapeString(string: string, depthLeft: number): string {
  const unescaped = string.replace(/\\(?:u([0-9a-f]{4})(?:\\u(d[c-f][0-9a-f]{2}))?|.)/gis, readable)
  // A string that is JSON itself, such as the arguments of a tool call, has escapes of its own.
  if (depthLeft === 0 || !unescaped.includes(`\\${ESCAPE}`)) return unescaped
  const inner: string = JSON.parse(unescaped)
  return isJson(inner) ? JSON.stringify(unescapeStrings(inner, depthLeft - 1)) : unescaped
}

/** The characters of an escape, where they may stand in JSON as they are; otherwise the escape. */
function readable(sequence: string, first: string | undefined, second: string | undefined): string {
  if (first === undefined) return sequence
  const code = Number.parseInt(first, 16)
  const isFirstHalf = code >= 0xd800 && code <= 0xdbff
  if (second !== undefined && isFirstHalf) return String.fromCharCode(code, Number.parseInt(second, 16))
  // A second half without the first one stays escaped, whatever stands before it.
  if (second !== undefined) return readable(sequence.slice(0, 6), first, undefined) + sequence.slice(6)
  const isHalf = code >= 0xd800 && code <= 0xdfff
  // Controls and ASCII stay escaped: quotes and backslashes have a meaning, and no sender escapes the rest for no reason.
  return code < 0xa0 || isHalf ? sequence : String.fromCharCode(code)
}
