/** What a query asks for, understood and checked: fields exist, values have the form that their field takes. */
import type { FieldName } from './query-fields.ts'

export type Condition =
  | { type: 'and' | 'or'; parts: readonly Condition[] }
  | { type: 'not'; part: Condition }
  | { type: 'term'; term: Term }

/** `key` is what follows the dot in `score.<evaluator>` and `metadata.<key>`; empty for other fields. */
export type Term = { field: FieldName; key: string; test: Test }

export type Test =
  | { is: 'present' }
  | { is: 'word'; word: string }
  /** `number` is set where the text may also stand for a number. */
  | { is: 'text'; pattern: TextPattern; number?: number }
  | { is: 'number'; range: NumberRange }
  | { is: 'nanoseconds'; range: NanosecondRange }

type Bound = { value: number; isIncluded: boolean }
export type NumberRange = { from?: Bound; to?: Bound }

/** Whole numbers, so that one form is enough: `from` is included, `until` is not. */
export type NanosecondRange = { from?: bigint; until?: bigint }

/** Text with gaps: `any` stands for one character, or for any number of them. */
export type TextPattern = readonly TextPiece[]
export type TextPiece = { text: string } | { any: 'one' | 'many' }

/** The text itself, if it has no gaps. */
export function exactText(pattern: TextPattern): string | undefined {
  let whole = ''
  for (const piece of pattern) {
    if ('any' in piece) return undefined
    whole += piece.text
  }
  return whole
}
