/** A parsed and validated query: all fields exist, and all values have the type of their field. */
import type { FieldName } from './query-fields.ts'

export type Condition =
  | { type: 'and' | 'or'; parts: readonly Condition[] }
  | { type: 'not'; part: Condition }
  | { type: 'term'; term: Term }

/** `key` is the part after the dot in `score.<evaluator>` and `metadata.<key>`; empty for other fields. */
export type Term = { field: FieldName; key: string; test: Test }

export type Test =
  | { is: 'present' }
  | { is: 'word'; word: string }
  /** `number` is set if the text is also a valid number. */
  | { is: 'text'; pattern: TextPattern; number?: number }
  | { is: 'number'; range: NumberRange }
  | { is: 'nanoseconds'; range: NanosecondRange }

type Bound = { value: number; isIncluded: boolean }
export type NumberRange = { from?: Bound; to?: Bound }

/** `from` is inclusive, `until` is exclusive. */
export type NanosecondRange = { from?: bigint; until?: bigint }

/** Text with wildcards: `any` matches one character, or any number of them. */
export type TextPattern = readonly TextPiece[]
export type TextPiece = { text: string } | { any: 'one' | 'many' }

/** The text if the pattern has no wildcards. */
export function exactText(pattern: TextPattern): string | undefined {
  let whole = ''
  for (const piece of pattern) {
    if ('any' in piece) return undefined
    whole += piece.text
  }
  return whole
}
