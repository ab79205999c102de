export type FileEncoding = 'utf-8' | 'utf-16le' | 'utf-16be'

/** A byte that valid UTF-8 never has. */
const BROKEN = Buffer.from([0xff])

/**
 * The text of a file as UTF-8 without byte order mark. UTF-16 is recognized by its mark. Half of a surrogate pair has no form in UTF-8
 * and becomes a byte that is invalid there, so that broken characters of both encodings are found in the same way, row by row.
 */
export function decodeFile(bytes: Buffer): { bytes: Buffer; encoding: FileEncoding } {
  if (startsWith(bytes, 0xef, 0xbb, 0xbf)) return { bytes: bytes.subarray(3), encoding: 'utf-8' }
  if (startsWith(bytes, 0xff, 0xfe)) return { bytes: fromUtf16(bytes.subarray(2), 'utf-16le'), encoding: 'utf-16le' }
  if (startsWith(bytes, 0xfe, 0xff)) return { bytes: fromUtf16(bytes.subarray(2), 'utf-16be'), encoding: 'utf-16be' }
  return { bytes, encoding: 'utf-8' }
}

function fromUtf16(bytes: Buffer, encoding: 'utf-16le' | 'utf-16be'): Buffer {
  const even = bytes.subarray(0, bytes.length - (bytes.length % 2))
  const text = (encoding === 'utf-16le' ? even : Buffer.from(even).swap16()).toString('utf16le')
  const rest = even.length < bytes.length ? [BROKEN] : []
  if (text.isWellFormed()) return Buffer.concat([Buffer.from(text), ...rest])
  const parts = text.split(/\p{Surrogate}/u).flatMap((part) => [Buffer.from(part), BROKEN])
  return Buffer.concat([...parts.slice(0, -1), ...rest])
}

function startsWith(bytes: Buffer, ...mark: number[]): boolean {
  return mark.every((byte, place) => bytes[place] === byte)
}
