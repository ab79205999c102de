import type { Case, Need } from '../evaluator.ts'
import type { JudgedField } from './judged-text.ts'

/** The earlier turns and the input, if known, followed by the fields to judge. */
export function inputAnd({ input, conversation }: Case, ...fields: JudgedField[]): JudgedField[] {
  const before = conversation ? [{ key: 'conversation', text: conversation, name: 'conversation' }] : []
  const asked = input === null ? [] : [{ key: 'input', text: input, name: 'input' }]
  return [...before, ...asked, ...fields]
}

/** Returns the reason why a case lacks a need of a judge; the model is then not called. */
export function lackFor(needs: readonly Need[], { output, expected, baseline }: Case): string | undefined {
  if (needs.includes('output') && output === null) return 'there is no output'
  if (needs.includes('expected') && expected === null) return 'the item has no expected value'
  if (needs.includes('baseline') && baseline === null) return 'the run to compare with has no output for this item'
  return undefined
}
