/**
 * Finds a key in a text however it is written there. A provider that is not honest can send us its own key back, encoded so that a plain search
 * does not find it, and have it shown to everybody who may read our errors.
 */

/** So many characters of a key in a row are too many. A shorter key must be there as a whole. */
const WINDOW = 8

/** Whether a text contains a part of the key: as it is, backwards, or in a usual encoding; whatever stands between its characters. */
export function containsKey(text: string, apiKey: string | undefined): boolean {
  if (apiKey === undefined || apiKey === '') return false
  const plain = normal(text)
  const windows = new Set(windowsOf(plain, WINDOW))
  return formsOf(apiKey)
    .map(normal)
    .some((form) =>
      form.length <= WINDOW
        ? form !== '' && plain.includes(form)
        : windowsOf(form, WINDOW).some((part) => windows.has(part)),
    )
}

function formsOf(key: string): string[] {
  const bytes = Buffer.from(key)
  const codes = [...bytes]
  const forms = [
    key,
    // Three ways, by what stands before the key in the text that was encoded.
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

/** Without case, spaces and signs: `sk-…`, `S K …` and base64 of either alphabet are then alike. */
function normal(text: string): string {
  return text.toLowerCase().replace(/[^a-z0-9]/g, '')
}

function windowsOf(text: string, length: number): string[] {
  return Array.from({ length: Math.max(0, text.length - length + 1) }, (_, start) => text.slice(start, start + length))
}
