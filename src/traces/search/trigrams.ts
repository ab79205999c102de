/**
 * Trigrams as numbers: three UTF-16 units that follow each other, six bits each, without regard to the case of ASCII letters. Letters and
 * digits have a value of their own; all other units share the rest. So different trigrams may have the same number, which only adds
 * candidates: they are compared with the text anyway.
 */
export const TRIGRAM_COUNT = 1 << 18
export const TRIGRAM_MASK = TRIGRAM_COUNT - 1
export const UNIT_BITS = 6

const ALPHABET = 'abcdefghijklmnopqrstuvwxyz0123456789'
const OTHERS = (1 << UNIT_BITS) - ALPHABET.length
/** Spreads neighboring units, such as those of one script, over all values. */
const FACTOR = 0x9e3779b1

/** The six bits of each UTF-16 unit. */
export const UNIT_VALUES = Uint8Array.from({ length: 1 << 16 }, (_, unit) => {
  const known = unit < 128 ? ALPHABET.indexOf(String.fromCharCode(unit).toLowerCase()) : -1
  return known === -1 ? ALPHABET.length + ((Math.imul(unit, FACTOR) >>> 8) % OTHERS) : known
})

/** The trigrams of a text; none if it is shorter than one. */
export function trigramsOf(text: string): number[] {
  const found = new Set<number>()
  let trigram = 0
  for (let place = 0; place < text.length; place += 1) {
    trigram = ((trigram << UNIT_BITS) | (UNIT_VALUES[text.charCodeAt(place)] ?? 0)) & TRIGRAM_MASK
    if (place >= 2) found.add(trigram)
  }
  return [...found]
}
