import { formatCost, formatCount, formatDuration, formatRatio } from '../../ui/format-number.ts'

/** A quantity that both sides have: its words for a value, for a missing value, and for less and more. */
interface Quantity {
  format: (value: number) => string
  missing: string
  less: string
  more: string
}

export const quantities = {
  time: { format: formatDuration, missing: 'no end', less: 'shorter', more: 'longer' },
  tokens: { format: formatCount, missing: 'unknown', less: 'fewer', more: 'more' },
  cost: { format: formatCost, missing: 'unknown', less: 'less', more: 'more' },
  spans: { format: formatCount, missing: 'unknown', less: 'fewer', more: 'more' },
} as const satisfies Record<string, Quantity>

type Value = number | null | undefined

export function amountText({ format, missing }: Quantity, value: Value): string {
  return value === null || value === undefined ? missing : format(value)
}

/** "0.49 ×": B as a multiple of A. Undefined without two values, if they are equal, and if one is 0. */
export function factorText(left: Value, right: Value): string | undefined {
  return left && right && left !== right ? formatRatio(right / left) : undefined
}

/** "4.31 s shorter", of B in comparison with A. */
export function differenceText({ format, missing, less, more }: Quantity, left: Value, right: Value): string {
  const isLeftMissing = left === null || left === undefined
  if (isLeftMissing || right === null || right === undefined) {
    const isRightMissing = right === null || right === undefined
    return `${missing} in ${isLeftMissing && isRightMissing ? 'both' : isLeftMissing ? 'A' : 'B'}`
  }
  if (left === right) return 'same'
  return `${format(Math.abs(right - left))} ${right < left ? less : more}`
}

interface Totals {
  durationMs: number | null
  totalTokens: number | null
  totalCostUsd: number | null
}

/** "Compared with A, B has 0.49 × the time, the same tokens and 1.40 × the cost." Unknown amounts are not part of it; undefined if all are unknown. */
export function summaryText(left: Totals, right: Totals): string | undefined {
  const parts = [
    share('time', left.durationMs, right.durationMs),
    share('tokens', left.totalTokens, right.totalTokens),
    share('cost', left.totalCostUsd, right.totalCostUsd),
  ].filter((part) => part !== undefined)
  const last = parts.at(-1)
  if (last === undefined) return undefined
  const list = parts.length === 1 ? last : `${parts.slice(0, -1).join(', ')} and ${last}`
  return `Compared with A, B has ${list}.`
}

function share(word: string, left: number | null, right: number | null): string | undefined {
  if (left === null || right === null) return undefined
  if (left === right) return `the same ${word}`
  const factor = factorText(left, right)
  return factor === formatRatio(1) ? `about the same ${word}` : factor && `${factor} the ${word}`
}
