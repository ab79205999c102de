import type { MatrixCall, MatrixItem } from '../../api/trial-matrix-query.ts'
import { formatMetric } from '../../ui/format-number.ts'

/** How scores are read: null where that is not known yet. */
export interface Scoring {
  scale: number[] | null
  higherIsBetter: boolean | null
}

interface CallLook {
  mark: string
  /** For screen readers. */
  word: string
  className: string
}

/** What one call shows: its score, or its state as long as it has none. */
export function lookOf(
  { state, score }: Pick<MatrixCall, 'state' | 'score'>,
  { scale, higherIsBetter }: Scoring,
): CallLook {
  if (state !== 'done') return stateLooks[state]
  if (score === null) return { mark: '✓', word: 'answered, no score', className: 'bg-sunken text-soft' }
  const [low, high] = higherIsBetter === false ? [scale?.[1], scale?.[0]] : [scale?.[0], scale?.[1]]
  const isYesNo = scale !== null && scale[0] === 0 && scale[1] === 1
  if (score === high)
    return { mark: isYesNo ? '✓' : formatMetric(score), word: isYesNo ? 'best' : formatMetric(score), className: best }
  if (score === low)
    return {
      mark: isYesNo ? '✗' : formatMetric(score),
      word: isYesNo ? 'worst' : formatMetric(score),
      className: worst,
    }
  return { mark: formatMetric(score), word: formatMetric(score), className: 'bg-sunken text-ink' }
}

const best = 'bg-good-wash text-good'
const worst = 'bg-danger-wash text-danger'

const stateLooks: Record<Exclude<MatrixCall['state'], 'done'>, CallLook> = {
  queued: { mark: '', word: 'waiting', className: 'border border-edge/50' },
  running: { mark: '', word: 'running', className: 'border-2 border-gold' },
  retrying: { mark: '↻', word: 'will be tried again', className: 'border-2 border-gold text-soft' },
  failed: { mark: '!', word: 'no answer', className: 'border border-danger text-danger' },
  skipped: { mark: '–', word: 'skipped', className: 'text-faint' },
}

export function callsOf({ calls }: MatrixItem, variant: string): MatrixCall[] {
  return calls.filter((call) => call.variant === variant)
}

/** Of the calls that have a score. */
function meanScore(calls: readonly MatrixCall[]): number | undefined {
  const scores = calls.flatMap(({ score }) => score ?? [])
  return scores.length === 0 ? undefined : scores.reduce((sum, score) => sum + score, 0) / scores.length
}

const ROUNDING = 1e-9

export type ItemChange = 'better' | 'worse' | 'same'

/** The variant against the baseline on this item; undefined unless both have scores. */
export function changeOn(
  item: MatrixItem,
  { variant, baseline }: { variant: string; baseline: string },
  { higherIsBetter }: Scoring,
): ItemChange | undefined {
  const [after, before] = [meanScore(callsOf(item, variant)), meanScore(callsOf(item, baseline))]
  if (after === undefined || before === undefined) return undefined
  const gain = higherIsBetter === false ? before - after : after - before
  return Math.abs(gain) < ROUNDING ? 'same' : gain > 0 ? 'better' : 'worse'
}

/** Of an input that is an object with one text, the text: the beginning of the input may end in the middle of it. */
export function questionIn(preview: string): string {
  const [, text] = /^\{\s*"[^"\\]+"\s*:\s*"((?:[^"\\]|\\.)*)(?:"\s*\}|…)$/s.exec(preview) ?? []
  if (text === undefined) return preview
  const end = preview.endsWith('…') ? '…' : ''
  try {
    return `${JSON.parse(`"${text}"`)}${end}`
  } catch {
    return preview
  }
}
