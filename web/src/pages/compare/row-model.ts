import type { RowFilter } from '../../api/comparison-query.ts'
import type { Comparison } from '../../api/generated/api.ts'
import { formatScore } from '../../ui/format-number.ts'

export type Row = Comparison['data'][number]
export type Texts = NonNullable<Row['texts']>

/** Names a row in the address: its item, with the number of the pair from the second on; without an item, its trace. */
export function rowKey({ itemId, baselineTraceId, candidateTraceId, texts }: Row): string {
  if (itemId && texts?.repetition) return texts.repetition === 1 ? itemId : `${itemId}.${texts.repetition}`
  return baselineTraceId ?? candidateTraceId ?? ''
}

/** The item that a key of the address names. */
export function itemOfKey(key: string): string | undefined {
  return /^([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})(\.\d+)?$/.exec(key)?.[1]
}

export function titleOf({ texts, itemId }: Row): string {
  const text = texts?.input?.text ?? texts?.candidate?.text ?? texts?.baseline?.text
  return text?.trim() || (itemId ? 'An item without a text' : 'A trace without an item')
}

/** How the value of a metric changed: "pass → fail", "4 → 5". */
export function changeOf(row: Row, metric: string): string {
  const score = row.scores.find(({ name }) => name === metric)
  if (!score) return row.failed.includes(metric) ? 'failed' : ''
  return `${valueText(score.baseline)} → ${valueText(score.candidate)}`
}

export function valueText(value: number | string | null): string {
  if (value === null) return '–'
  if (typeof value === 'string') return value
  return Number.isInteger(value) ? String(value).replace('-', '−') : formatScore(value)
}

export const filterLooks: Record<RowFilter, { mark: string; word: string; className: string }> = {
  regressed: { mark: '▼', word: 'worse', className: 'text-danger' },
  improved: { mark: '▲', word: 'better', className: 'text-good' },
  tie: { mark: '=', word: 'same', className: 'text-soft' },
  failed: { mark: '!', word: 'evaluator failed', className: 'text-warn' },
  not_measured: { mark: '–', word: 'not measured', className: 'text-soft' },
  only_baseline: { mark: '●', word: 'only in the baseline', className: 'text-soft' },
  only_candidate: { mark: '◆', word: 'only in the candidate', className: 'text-soft' },
}

/** What became of a row on a metric. */
export function kindOf(row: Row, metric: string | undefined, higherIsBetter: boolean): RowFilter {
  if (row.baselineTraceId === null) return 'only_candidate'
  if (row.candidateTraceId === null) return 'only_baseline'
  const scores = row.scores.filter(({ name }) => name === metric)
  const deltas = scores.flatMap(({ delta }) => (delta === null ? [] : [delta]))
  const gain = deltas.reduce((sum, delta) => sum + delta, 0) * (higherIsBetter ? 1 : -1)
  if (gain !== 0) return gain < 0 ? 'regressed' : 'improved'
  if (metric !== undefined && row.failed.includes(metric)) return 'failed'
  return deltas.length > 0 ? 'tie' : 'not_measured'
}
