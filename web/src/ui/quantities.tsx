import { formatCost, formatCount, formatDuration } from './format-number.ts'

/** Digits of equal width, so that columns of numbers can be compared. */
export function Count({ value }: { value: number | null | undefined }) {
  if (value === null || value === undefined) return <Unknown />
  return <span className="tabular-nums">{formatCount(value)}</span>
}

export function Duration({ ms }: { ms: number | null | undefined }) {
  if (ms === null || ms === undefined) return <Unknown />
  return <span className="whitespace-nowrap tabular-nums">{formatDuration(ms)}</span>
}

export function Cost({ dollars }: { dollars: number | null | undefined }) {
  if (dollars === null || dollars === undefined) return <Unknown />
  return <span className="whitespace-nowrap tabular-nums">{formatCost(dollars)}</span>
}

function Unknown() {
  return <span className="text-faint italic">unknown</span>
}
