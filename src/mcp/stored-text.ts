/** Schemas of the texts in results. Everything that the application, its users or its models wrote is a stored text. */
import { Type } from 'typebox'
import { closed } from '../http/schemas.ts'

/** Names, comments, reasons: cut where a result would be too long. */
export const Stored = Type.Optional(Type.String())

/** An id, possibly one that a sender chose. Never cut, because a part of an id is of no use. */
export const Ref = Type.Optional(Type.String({ title: 'Ref' }))

/** The beginning of an input or output, as the API cuts it. Only with `include: ["io"]`. */
export const Preview = Type.Optional(Type.String({ title: 'Preview' }))

/** A part of an input or output. Only with `include: ["io"]`. */
export const TextPart = Type.Optional(
  closed(
    {
      text: Type.String(),
      length: Type.Integer({ minimum: 0, description: 'Of the whole text.' }),
      nextOffset: Type.Optional(
        Type.Integer({ minimum: 0, description: 'Where the text continues: the textOffset of the next call.' }),
      ),
    },
    { title: 'TextPart' },
  ),
)

export type TextRange = { offset: number; lengthMax: number; isAlwaysShown?: boolean }

/** A text of which a result shows the part that fits. */
export class LongText {
  readonly text: string
  readonly range: TextRange

  constructor(text: string, range: TextRange) {
    this.text = text
    this.range = range
  }

  part(lengthMax: number): { text: string; length: number; nextOffset?: number } {
    const { offset, lengthMax: ownMax } = this.range
    const text = beginning(this.text.slice(offset), Math.min(lengthMax, ownMax))
    const end = offset + text.length
    const { length } = this.text
    // The caller may have chosen an offset inside a surrogate pair.
    const part = { text: text.toWellFormed(), length }
    return end < length ? { ...part, nextOffset: end } : part
  }
}

/** Undefined if there is no text. */
export function longText(value: unknown, range: TextRange): LongText | undefined {
  return typeof value === 'string' ? new LongText(value, range) : undefined
}

/** At most so many characters, and no half of a surrogate pair. */
export function beginning(text: string, lengthMax: number): string {
  if (text.length <= lengthMax) return text
  const isHalf = /[\ud800-\udbff]/.test(text.charAt(lengthMax - 1))
  return text.slice(0, isHalf ? lengthMax - 1 : lengthMax)
}
