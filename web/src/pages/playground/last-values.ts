/** What was typed last for each variable: a new row, and items that lack a value, begin with it. */
import type { PlaygroundRecord, TypedValues } from './playground-record.ts'
import { type Names, typedText } from './playground-values.ts'

type Typed = Pick<PlaygroundRecord, 'rows' | 'shared'>

/** By name; without those for which nothing was typed. */
export function lastValues({ rows, shared }: Typed, names: readonly string[]): TypedValues {
  const sources = [...rows.map(({ values }) => values).toReversed(), shared]
  return Object.fromEntries(
    names.flatMap((name) => {
      const text = sources.map((values) => typedText(values, name)).find((typed) => typed !== '')
      return text === undefined ? [] : [[name, text]]
    }),
  )
}

/**
 * Rows with what was typed for items. What was typed or emptied in a row stays. The question is not among it: it is what rows differ by.
 */
export function rowsWithLast({ rows, shared }: Typed, names: Names): PlaygroundRecord['rows'] {
  const last = lastValues({ rows: [], shared }, settledNames(names))
  return rows.map((row) => ({ ...row, values: { ...last, ...row.values } }))
}

/** The values for items with what was typed in rows, as far as no item has its own. */
export function sharedWithLast({ rows, shared }: Typed, names: Names, lacking: readonly string[]): TypedValues {
  const settled = settledNames(names).filter((name) => lacking.includes(name))
  return { ...lastValues({ rows, shared: {} }, settled), ...shared }
}

/** What a new row begins with. */
export function newRowValues(record: Typed, names: Names): TypedValues {
  return lastValues(record, settledNames(names))
}

/** The question is usually the last variable. */
function settledNames({ variables, placeholders }: Names): string[] {
  return [...variables.slice(0, -1), ...placeholders]
}
