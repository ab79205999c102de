/**
 * Finds a key in a text in any common encoding. A malicious provider could return the key that it received, encoded so that a plain
 * search does not find it, and so reveal it to all users who can read our error messages.
 */

/** The number of consecutive characters of a key that counts as a match. A shorter key must match as a whole. */
const WINDOW = 8

/** Whether a text contains a part of the key: plain, reversed or in a common encoding, regardless of separators. */
export function containsApiKey(text: string, apiKey: string | undefined): boolean {
  if (apiKey === undefined || apiKey === '') return false
  const plain = normalize(text)
  const windows = new Set(windowsOf(plain, WINDOW))
  return encodingsOf(apiKey)
    .map(normalize)
    .some((form) =>
      form.length <= WINDOW
        ? form !== '' && plain.includes(form)
        : windowsOf(form, WINDOW).some((part) => windows.has(part)),
    )
}

function encodingsOf(key: string): string[] {
  const bytes = Buffer.from(key)
  const codes = [...bytes]
  const forms = [
    key,
    // Base64 has three alignments, depending on the bytes before the key.
    ...[0, 1, 2].map((before) => Buffer.concat([Buffer.alloc(before, 'x'), bytes]).toString('base64')),
    bytes.toString('hex'),
    encodeURIComponent(key),
    codes.map((code) => `u00${code.toString(16).padStart(2, '0')}`).join(''),
    codes.join(''),
    key.replace(/[a-z]/gi, rotated),
  ]
  return forms.flatMap((form) => [form, [...form].reverse().join('')])
}

function rotated(letter: string): string {
  const base = letter <= 'Z' ? 65 : 97
  return String.fromCharCode(((letter.charCodeAt(0) - base + 13) % 26) + base)
}

/** Removes case, spaces and punctuation, so that `sk-…`, `S K …` and both base64 alphabets compare equal. */
function normalize(text: string): string {
  return text.toLowerCase().replace(/[^a-z0-9]/g, '')
}

function windowsOf(text: string, length: number): string[] {
  return Array.from({ length: Math.max(0, text.length - length + 1) }, (_, start) => text.slice(start, start + length))
}
