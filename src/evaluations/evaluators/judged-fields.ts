import type { Case, Need } from './evaluator.ts'
import type { JudgedField } from './judged-text.ts'

/** What was asked, if it is known, and then what is to be judged. */
export function inputAnd({ input }: Case, ...fields: JudgedField[]): JudgedField[] {
  return input === null ? fields : [{ key: 'input', text: input, name: 'input' }, ...fields]
}

/** What a case lacks of what a judge needs, as a sentence; then nobody is asked. */
export function lackFor(needs: readonly Need[], { output, expected, baseline }: Case): string | undefined {
  if (needs.includes('output') && output === null) return 'there is no output'
  if (needs.includes('expected') && expected === null) return 'the item has no expected value'
  if (needs.includes('baseline') && baseline === null) return 'the run to compare with has no output for this item'
  return undefined
}
