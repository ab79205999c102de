/**
 * Collects, in memory, which spans contain which trigrams. Texts are read once, unit by unit, and nothing is allocated for a trigram: this
 * is where indexing spends its time.
 */
import { markOf } from './list-ids.ts'
import { encodeList, runsOf } from './span-lists.ts'
import { TRIGRAM_COUNT, TRIGRAM_MASK, UNIT_BITS, UNIT_VALUES } from './trigrams.ts'

/** The highest number of a span: the difference of two fits two bytes. */
export const SPAN_NUMBER_MAX = (1 << 14) - 1

export type TrigramRow = readonly [trigram: number, spans: Uint8Array]

export class SegmentBuilder {
  /** By trigram: how many spans contain it, then where its next byte goes. */
  readonly #counts = new Int32Array(TRIGRAM_COUNT)
  /** By trigram: the last span that contained it. */
  readonly #lastSpans = new Int32Array(TRIGRAM_COUNT)
  /** The distinct trigrams of each span, one span after the other. */
  #found = new Int32Array(1 << 20)
  #foundCount = 0
  /** For each span, its number and the end of its trigrams. */
  readonly #ends: { span: number; end: number }[] = []
  readonly #trigrams: number[] = []
  readonly #markOf = new Map<string, number>()
  readonly #spansWith = new Map<number, number[]>()

  /** The numbers of spans must ascend, from 1 to at most `SPAN_NUMBER_MAX`. */
  add(span: number, workspaceId: string, texts: readonly (string | null)[]): void {
    for (const text of texts) if (text !== null) this.#addText(span, text)
    this.#ends.push({ span, end: this.#foundCount })
    const mark = this.#markOf.get(workspaceId) ?? markOf(workspaceId)
    this.#markOf.set(workspaceId, mark)
    const spans = this.#spansWith.get(mark)
    if (spans) spans.push(span)
    else this.#spansWith.set(mark, [span])
  }

  /** The lists of spans by trigram, in ascending order, then, as runs, those by mark. The builder is used up. */
  *rows(): Generator<TrigramRow> {
    const trigrams = Int32Array.from(this.#trigrams).sort()
    const counts = this.#counts
    const starts = new Int32Array(trigrams.length)
    let size = 0
    for (const [place, trigram] of trigrams.entries()) {
      starts[place] = size
      size += 2 * (counts[trigram] ?? 0)
      counts[trigram] = starts[place] ?? 0
    }
    const bytes = this.#encode(size)
    for (const [place, trigram] of trigrams.entries()) {
      yield [trigram, bytes.subarray(starts[place], counts[trigram])]
    }
    for (const [mark, spans] of this.#spansWith) yield [mark, encodeList(runsOf(spans))]
  }

  #addText(span: number, text: string): void {
    if (this.#foundCount + text.length > this.#found.length) this.#grow(text.length)
    const counts = this.#counts
    const lastSpans = this.#lastSpans
    const found = this.#found
    let foundCount = this.#foundCount
    let trigram = 0
    for (let place = 0; place < text.length; place += 1) {
      trigram = ((trigram << UNIT_BITS) | (UNIT_VALUES[text.charCodeAt(place)] ?? 0)) & TRIGRAM_MASK
      if (place < 2 || lastSpans[trigram] === span) continue
      const count = counts[trigram] ?? 0
      if (count === 0) this.#trigrams.push(trigram)
      counts[trigram] = count + 1
      lastSpans[trigram] = span
      found[foundCount++] = trigram
    }
    this.#foundCount = foundCount
  }

  /** As `encodeList` does, for all lists at once: `counts` has the start of each. */
  #encode(size: number): Uint8Array {
    const bytes = new Uint8Array(size)
    const counts = this.#counts
    const lastSpans = this.#lastSpans.fill(0)
    let at = 0
    for (const { span, end } of this.#ends) {
      for (; at < end; at += 1) {
        const trigram = this.#found[at] ?? 0
        const difference = span - (lastSpans[trigram] ?? 0)
        lastSpans[trigram] = span
        let place = counts[trigram] ?? 0
        if (difference > 127) bytes[place++] = (difference & 127) | 128
        bytes[place++] = difference > 127 ? difference >> 7 : difference
        counts[trigram] = place
      }
    }
    return bytes
  }

  #grow(units: number): void {
    const larger = new Int32Array(2 * this.#found.length + units)
    larger.set(this.#found)
    this.#found = larger
  }
}
