/**
 * Control characters of stored text could move the cursor, hide lines or change the title of a terminal, and bidirectional controls can
 * show text in another order than it has. They are printed as escapes.
 */
// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what is looked for
const CONTROLS = /[\u0000-\u001f\u007f-\u009f\u200e\u200f\u2028-\u202e\u2066-\u2069]/g
const NAMED: Record<string, string> = { '\n': '\\n', '\r': '\\r', '\t': '\\t' }

/** For one line: a cell of a table, or a field of a tab-separated one. */
export function escapeLine(text: string): string {
  return text.replace(CONTROLS, (character) => NAMED[character] ?? escaped(character))
}

/** For several lines: line breaks and tabs stay. */
export function escapeLines(text: string): string {
  return text.replace(CONTROLS, (character) => (/[\n\t]/.test(character) ? character : escaped(character)))
}

/** JSON that is safe to print. It is the same value: escapes are allowed in all of its strings, and only strings have these characters. */
export function printableJson(value: unknown, indent = 2): string {
  return escapeLines(JSON.stringify(value, null, indent))
}

function escaped(character: string): string {
  return `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`
}
