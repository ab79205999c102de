/**
 * Walks over the bytes of a protobuf message, field by field, without allocating objects.
 *
 * A read past the end of the bytes fails immediately. A field that exceeds its own message is detected at the end of the loop over that
 * message (`leave`), so that the many small reads need only one comparison each.
 */
import { isUtf8 } from 'node:buffer'
import { type AppError, badRequest } from '../../../base/errors.ts'
import { storableText } from '../../../base/text.ts'

export const VARINT = 0
export const FIXED64 = 1
export const BYTES = 2
const FIXED32 = 5

const TWO_TO_32 = 4_294_967_296
/** Below this value, the upper and lower half of a 64-bit number fit into one JavaScript number. */
const SAFE_HIGH = 0x20_0000
/** Up to this length, checking each byte costs less than it saves. For longer strings, Node's decoder is faster than a loop. */
const SHORT_BYTES = 40
const KEY_SLOTS = 2_048
/** Texts are cut to a mebi of characters, which have at most three bytes each: the rest of a longer one is not decoded. */
const TEXT_BYTES_CUT = 4 << 20
/** Longer than any id. */
const ID_BYTES_CUT = 64
/** The size of a double as an element of a list: two tags, a length and the value. */
const LISTED_DOUBLE_BYTES = 11

export class ProtobufReader {
  readonly bytes: Buffer
  readonly #view: DataView
  pos = 0
  /** How many strings had invalid UTF-8 or characters that cannot be stored. */
  replacedCount = 0
  #low = 0
  #high = 0

  constructor(bytes: Buffer) {
    this.bytes = bytes
    this.#view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  }

  /** The number and the wire type of the next field, as `number << 3 | type`. */
  tag(): number {
    const byte = this.bytes[this.pos] ?? truncated()
    if (byte < 0x80) {
      this.pos += 1
      return byte
    }
    this.#varint()
    if (this.#high !== 0) throw malformed('a field has a number that is too large')
    return this.#low
  }

  /** Enters a length-delimited field and returns its end. */
  enter(): number {
    const length = this.tag()
    const end = this.pos + length
    if (end > this.bytes.length) truncated()
    return end
  }

  /** Must be called after the last field of a message. */
  leave(end: number): void {
    if (this.pos !== end) throw malformed('a field is longer than the message that holds it')
  }

  /** Skips an unknown field. Throws for a known one, whose wire type is wrong; `known` has a bit for each known number. */
  skip(tag: number, known: number, message: string): void {
    const field = tag >>> 3
    if (field < 32 && (known >>> field) & 1) {
      throw malformed(`field ${field} of ${message} has the wrong type; each signal has a path of its own`)
    }
    if (field === 0) throw malformed('a field has the number 0')
    const type = tag & 7
    if (type === VARINT) this.#varint()
    else if (type === FIXED64) this.pos += 8
    else if (type === FIXED32) this.pos += 4
    else if (type === BYTES) this.pos = this.enter()
    else throw malformed(`a field has the type ${type}, which is not used any more`)
  }

  /** The lower 32 bits, enough for enumerations and small numbers. */
  int32(): number {
    this.#varint()
    return this.#low | 0
  }

  isTrue(): boolean {
    this.#varint()
    return this.#low !== 0 || this.#high !== 0
  }

  /** A decimal string if a JavaScript number would lose digits. */
  int64(): number | string {
    this.#varint()
    const high = this.#high
    if (high < SAFE_HIGH) return high * TWO_TO_32 + this.#low
    if (high > 0xffff_ffff - SAFE_HIGH) {
      const value = (high - TWO_TO_32) * TWO_TO_32 + this.#low
      if (Number.isSafeInteger(value)) return value
    }
    return BigInt.asIntN(64, (BigInt(high) << 32n) | BigInt(this.#low)).toString()
  }

  fixed64(): bigint {
    const at = this.pos
    if (at + 8 > this.bytes.length) truncated()
    this.pos = at + 8
    return this.#view.getBigUint64(at, true)
  }

  double(): number {
    const at = this.pos
    if (at + 8 > this.bytes.length) truncated()
    this.pos = at + 8
    return this.#view.getFloat64(at, true)
  }

  /**
   * A list of finite doubles, such as an embedding; undefined for any other list. A separate path, because V8 then stores unboxed
   * numbers: ten times faster than value by value, and a third of the memory.
   */
  vector(end: number): number[] | undefined {
    const { bytes } = this
    const vector: number[] = []
    for (let at = this.pos; at < end; at += LISTED_DOUBLE_BYTES) {
      const isDouble = bytes[at] === 0x0a && bytes[at + 1] === 9 && bytes[at + 2] === 0x21
      if (!isDouble || at + LISTED_DOUBLE_BYTES > end) return undefined
      const value = this.#view.getFloat64(at + 3, true)
      if (!Number.isFinite(value)) return undefined
      vector.push(value)
    }
    this.pos = end
    return vector
  }

  hex(): string {
    const end = this.enter()
    const text = this.bytes.toString('hex', this.pos, Math.min(end, this.pos + ID_BYTES_CUT))
    this.pos = end
    return text
  }

  base64(): string {
    const end = this.enter()
    const text = this.bytes.toString('base64', this.pos, Math.min(end, this.pos + TEXT_BYTES_CUT))
    this.pos = end
    return text
  }

  text(): string {
    const end = this.enter()
    const start = this.pos
    this.pos = end
    return this.#text(start, end)
  }

  /**
   * A string that was probably read before. Most spans have the same few keys: finding the existing string is cheaper than decoding it
   * again, and its hash is already computed when it is put into a map.
   */
  key(): string {
    const end = this.enter()
    const start = this.pos
    this.pos = end
    const length = end - start
    if (length > SHORT_BYTES) return this.#text(start, end)
    let hash = length
    for (let at = start; at < end; at += 1) hash = (Math.imul(hash, 31) + (this.bytes[at] ?? 0)) | 0
    const slot = (hash ^ (hash >>> 11)) & (KEY_SLOTS - 1)
    const known = keys[slot]
    if (known !== undefined && known.length === length && this.#isAt(start, known)) return known
    const text = this.#text(start, end)
    keys[slot] = text
    return text
  }

  #text(start: number, end: number): string {
    if (end - start > SHORT_BYTES) return this.#anyText(start, end)
    for (let at = start; at < end; at += 1) {
      const byte = this.bytes[at] ?? 0
      if (byte === 0 || byte >= 0x80) return this.#anyText(start, end)
    }
    return this.bytes.toString('latin1', start, end)
  }

  #isAt(start: number, text: string): boolean {
    for (let place = 0; place < text.length; place += 1)
      if (this.bytes[start + place] !== text.charCodeAt(place)) return false
    return true
  }

  #anyText(start: number, sentEnd: number): string {
    const end = this.#cutEnd(start, sentEnd)
    const text = this.bytes.toString('utf8', start, end)
    const isValid = !text.includes('\ufffd') || isUtf8(this.bytes.subarray(start, end))
    const stored = storableText(text)
    if (!isValid || stored !== text) this.replacedCount += 1
    return stored
  }

  /** Does not split a character. */
  #cutEnd(start: number, end: number): number {
    if (end - start <= TEXT_BYTES_CUT) return end
    let cut = start + TEXT_BYTES_CUT
    while (cut > start + TEXT_BYTES_CUT - 4 && ((this.bytes[cut] ?? 0) & 0b1100_0000) === 0b1000_0000) cut -= 1
    return cut
  }

  /** Reads two halves, because a JavaScript number cannot represent 64 bits and a BigInt needs an allocation. */
  #varint(): void {
    const { bytes } = this
    let at = this.pos
    let byte = bytes[at++] ?? truncated()
    let low = byte & 0x7f
    let high = 0
    for (let shift = 7; byte >= 0x80; shift += 7) {
      if (shift > 63) throw malformed('a number is longer than 64 bits')
      byte = bytes[at++] ?? truncated()
      const bits = byte & 0x7f
      if (shift < 28) low |= bits << shift
      else if (shift === 28) {
        low |= bits << 28
        high = bits >>> 4
      } else high |= bits << (shift - 32)
    }
    this.#low = low >>> 0
    this.#high = high >>> 0
    this.pos = at
  }
}

/** Shared by all requests. Bounded in number and length. */
const keys: (string | undefined)[] = new Array(KEY_SLOTS).fill(undefined)

export function malformed(what: string): AppError {
  return badRequest(`The request body is not a valid OTLP request in protobuf: ${what}`)
}

function truncated(): never {
  throw malformed('it ends early')
}
