/**
 * Parses a large JSON object without blocking the process: the text is read once, and what is between two commas is parsed in pieces of
 * bounded length. Small objects and lists are parsed as part of the piece that they are in; a large one is put together from its pieces,
 * and so is a long string. The result is that of `JSON.parse`.
 */
import { badRequest } from '../../../base/errors.ts'
import { tooManyValues } from '../batch-draft.ts'

/** Needs a few milliseconds at most. */
const PIECE_BYTES = 64 * 1024
/** Smaller requests are parsed at once. Most are smaller. */
const WHOLE_BYTES_MAX = 256 * 1024
/** Read between two pauses. */
const SLICE_BYTES = 1 << 20
/** No message of OTLP has such names. */
const NAME_BYTES_MAX = 1 << 20
/** Values of the maximum accepted depth need three levels each. */
const DEPTH_MAX = 256
/** Objects, lists and commas; twice the number in the largest request with short attributes. */
const VALUES_MAX = 2_000_000
/** Of an object that is larger than a piece. The messages of OTLP have some twenty. */
const FIELDS_MAX = 10_000

const [QUOTE, ESCAPE, COMMA, UNICODE] = [0x22, 0x5c, 0x2c, 0x75]
/** A backslash, the letter u and four digits. */
const UNICODE_ESCAPE_BYTES = 6
/** In UTF-8. */
const CHARACTER_BYTES_MAX = 4
const [OPEN_LIST, CLOSE_LIST, OPEN_OBJECT, CLOSE_OBJECT] = [0x5b, 0x5d, 0x7b, 0x7d]

/** An object or a list whose end is not reached yet. */
type Open = {
  list: unknown[] | undefined
  fields: Record<string, unknown> | undefined
  isList: boolean
  /** Of its bracket. */
  start: number
  /** Where the text begins that is not parsed yet, and the last entry in it. */
  from: number
  entryFrom: number
  /** Of the large value that is being read. */
  key: string
  /** A long string whose end is not reached yet. */
  text: { value: string; from: number } | undefined
  /** Nothing but a comma or the end may follow a large value. */
  isAfterValue: boolean
}

type Lengths = { wholeBytesMax?: number; pieceBytes?: number; sliceBytes?: number }

export function* parseInSlices(
  bytes: Buffer,
  { wholeBytesMax = WHOLE_BYTES_MAX, pieceBytes = PIECE_BYTES, sliceBytes = SLICE_BYTES }: Lengths = {},
): Generator<void, unknown> {
  if (bytes.length <= wholeBytesMax) return parseText(textOf(bytes))
  const reader = new SliceReader(bytes, { pieceBytes, sliceBytes })
  for (;;) {
    const root = reader.readSlice()
    yield
    if (root !== undefined) return root
  }
}

class SliceReader {
  readonly #bytes: Buffer
  readonly #pieceBytes: number
  readonly #sliceBytes: number
  readonly #open: Open[] = []
  #at = 0
  #isInText = false
  /** Where the string begins that is being read, or was read last. */
  #textStart = 0
  #valueCount = 0

  constructor(bytes: Buffer, { pieceBytes, sliceBytes }: { pieceBytes: number; sliceBytes: number }) {
    this.#bytes = bytes
    this.#pieceBytes = pieceBytes
    this.#sliceBytes = sliceBytes
  }

  /** Reads until a piece is parsed or enough is read. Returns the whole value at its end. */
  readSlice(): unknown {
    const bytes = this.#bytes
    const sliceEnd = Math.min(this.#at + this.#sliceBytes, bytes.length)
    let isInText = this.#isInText
    let at = this.#at
    for (; at < sliceEnd; at += 1) {
      const byte = bytes[at]
      if (isInText) {
        if (byte === ESCAPE) at += bytes[at + 1] === UNICODE ? UNICODE_ESCAPE_BYTES - 1 : 1
        else if (byte === QUOTE) {
          isInText = false
          this.#endText(at)
        }
      } else if (byte === QUOTE) {
        isInText = true
        this.#textStart = at
      } else if (byte === OPEN_OBJECT || byte === OPEN_LIST) this.#begin(at, byte === OPEN_LIST)
      else if (byte === CLOSE_OBJECT || byte === CLOSE_LIST) {
        const root = this.#end(at, byte === CLOSE_LIST)
        if (root !== undefined) return root
      } else if (byte === COMMA && this.#comma(at)) {
        at += 1
        break
      }
    }
    if (at >= bytes.length) throw invalid()
    if (isInText && at - this.#textStart >= this.#sliceBytes) at = this.#readText(at)
    this.#at = at
    this.#isInText = isInText
    return undefined
  }

  /** Parses a long string up to the end of a character. Returns where the rest begins. */
  #readText(at: number): number {
    const level = this.#open.length - 1
    const inside = this.#open[level]
    if (inside === undefined) throw invalid()
    if (inside.text === undefined) {
      if (!inside.isList && this.#isBlank(inside.entryFrom, this.#textStart)) {
        if (at - this.#textStart > NAME_BYTES_MAX)
          throw badRequest('The request body has a field whose name is longer than 1 MiB')
        return at
      }
      this.#startLarge(level)
      this.#startValue(inside, this.#textStart)
      inside.text = { value: '', from: this.#textStart + 1 }
    }
    let end = at
    while (end > at - CHARACTER_BYTES_MAX && isWithinCharacter(this.#bytes[end])) end -= 1
    this.#addText(inside.text, end)
    return end
  }

  #addText(text: NonNullable<Open['text']>, end: number): void {
    if (end > text.from) text.value += String(this.#parseWithin(text.from, end, [QUOTE, QUOTE]))
    text.from = end
  }

  #endText(at: number): void {
    const inside = this.#open.at(-1)
    if (inside?.text === undefined) return
    this.#addText(inside.text, at)
    const { value } = inside.text
    inside.text = undefined
    this.#addLarge(inside, value, at)
  }

  #begin(start: number, isList: boolean): void {
    this.#count()
    if (this.#open.length >= DEPTH_MAX) throw badRequest('The request body is nested too deeply')
    const [from, entryFrom] = [start + 1, start + 1]
    this.#open.push({
      list: undefined,
      fields: undefined,
      isList,
      start,
      from,
      entryFrom,
      key: '',
      text: undefined,
      isAfterValue: false,
    })
    if (this.#open.length > 1) return
    this.#requireBlank(0, start)
    this.#startLarge(0)
  }

  /** Returns whether a piece was parsed. */
  #comma(at: number): boolean {
    this.#count()
    const level = this.#open.length - 1
    const inside = this.#open[level]
    if (inside === undefined) throw invalid()
    const isPiece = !inside.isAfterValue && at - inside.from > this.#pieceBytes
    if (inside.isAfterValue) this.#requireBlank(inside.from, at)
    if (isPiece) {
      this.#startLarge(level)
      this.#parsePiece(inside, at)
    }
    if (isPiece || inside.isAfterValue) inside.from = at + 1
    inside.isAfterValue = false
    inside.entryFrom = at + 1
    return isPiece
  }

  /** Returns the whole value at its end. */
  #end(at: number, isList: boolean): unknown {
    const level = this.#open.length - 1
    const inside = this.#open[level]
    if (inside === undefined || inside.isList !== isList) throw invalid()
    if (at - inside.start > this.#pieceBytes) this.#startLarge(level)
    const value = inside.list ?? inside.fields
    if (value !== undefined) {
      if (inside.isAfterValue) this.#requireBlank(inside.from, at)
      else this.#parsePiece(inside, at)
    }
    this.#open.pop()
    const outside = this.#open[level - 1]
    if (outside === undefined) {
      this.#requireBlank(at + 1, this.#bytes.length)
      return value
    }
    if (value !== undefined) this.#addLarge(outside, value, at)
    return undefined
  }

  /** The value of a list or an object that was put together from its pieces and ends here. */
  #addLarge(outside: Open, value: unknown, end: number): void {
    if (outside.list) outside.list.push(value)
    else if (outside.fields) outside.fields[outside.key] = value
    outside.from = end + 1
    outside.isAfterValue = true
  }

  /** From now on its entries are parsed in pieces, which requires the same of all around it. */
  #startLarge(level: number): void {
    const inside = this.#open[level]
    if (inside === undefined || inside.list || inside.fields) return
    if (inside.isList) inside.list = []
    // Without a prototype: `__proto__` is a key as any other.
    else inside.fields = Object.create(null)
    const outside = this.#open[level - 1]
    if (outside === undefined) return
    this.#startLarge(level - 1)
    this.#startValue(outside, inside.start)
  }

  /** Parses what is before a value that is put together from its pieces: the entries before it, and its key. */
  #startValue(outside: Open, start: number): void {
    if (outside.isAfterValue) throw invalid()
    if (outside.entryFrom > outside.from) this.#parsePiece(outside, outside.entryFrom - 1)
    if (outside.isList) this.#requireBlank(outside.entryFrom, start)
    else outside.key = this.#key(outside.entryFrom, start)
    outside.from = start
  }

  #count(): void {
    this.#valueCount += 1
    if (this.#valueCount > VALUES_MAX) throw tooManyValues()
  }

  /** The entries up to a comma or to the end. There must be at least one, unless there are none at all. */
  #parsePiece({ list, fields, start, from }: Open, end: number): void {
    const entries = this.#parseWithin(from, end, list ? [OPEN_LIST, CLOSE_LIST] : [OPEN_OBJECT, CLOSE_OBJECT])
    const parts: Record<string, unknown> = Object(entries)
    const names = fields ? Object.keys(parts) : []
    const count = Array.isArray(entries) ? entries.length : names.length
    const isWhole = from === start + 1 && this.#bytes[end] !== COMMA
    if (count === 0 && !isWhole) throw invalid()
    if (list && Array.isArray(entries)) for (const entry of entries) list.push(entry)
    if (!fields) return
    for (const name of names) fields[name] = parts[name]
    if (Object.keys(fields).length > FIELDS_MAX) throw tooManyValues()
  }

  /** The brackets replace the bytes around the text for a moment: to join them with a text of megabytes would copy it. */
  #parseWithin(from: number, end: number, [opening, closing]: [number, number]): unknown {
    const bytes = this.#bytes.subarray(from - 1, end + 1)
    const [before = 0, after = 0] = [bytes[0], bytes.at(-1)]
    bytes[0] = opening
    bytes[bytes.length - 1] = closing
    try {
      return parseText(textOf(bytes))
    } finally {
      bytes[0] = before
      bytes[bytes.length - 1] = after
    }
  }

  /** The text is a name and a colon. */
  #key(from: number, end: number): string {
    const [name, ...others] = Object.keys(Object(parseText(`{${textOf(this.#bytes.subarray(from, end))}null}`)))
    if (name === undefined || others.length > 0) throw invalid()
    return name
  }

  #requireBlank(from: number, end: number): void {
    if (!this.#isBlank(from, end)) throw invalid()
  }

  #isBlank(from: number, end: number): boolean {
    return /^[ \t\r\n]*$/.test(textOf(this.#bytes.subarray(from, end)))
  }
}

/** Whether a byte is not the first one of a character in UTF-8. */
function isWithinCharacter(byte = 0): boolean {
  return (byte & 0b1100_0000) === 0b1000_0000
}

const decoder = new TextDecoder('utf-8', { fatal: true })

function textOf(bytes: Buffer): string {
  try {
    return decoder.decode(bytes)
  } catch {
    throw badRequest('The request body is not valid UTF-8')
  }
}

function parseText(text: string): unknown {
  try {
    // Not `parseJson` of base: a key such as __proto__ and a character such as U+0000 are valid data here.
    return JSON.parse(text)
  } catch {
    throw invalid()
  }
}

function invalid() {
  return badRequest('The request body is not valid JSON')
}
