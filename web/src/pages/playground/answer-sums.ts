import type { TryEnd } from '../../api/generated/api.ts'
import { formatCost, formatCount, formatDuration } from '../../ui/format-number.ts'
import { type Cell, isBusy, isFailed } from './tries.ts'

export interface AnswerSum {
  /** Null: unknown. */
  tokens: number | null
  costUsd: number | null
  isCostMaximum: boolean
  durationMs: number
}

/** Of all calls of a cell, those before tools were answered by hand included. Undefined if none has ended. */
export function sumOf({ end, earlier }: Cell): AnswerSum | undefined {
  const ends = end ? [...earlier, end] : earlier
  if (ends.length === 0) return undefined
  return {
    tokens: addKnown(ends.map(tokensOf)),
    // One unknown cost makes the sum unknown: it would look too small.
    costUsd: ends.some(({ costUsd }) => costUsd === null) ? null : addKnown(ends.map(({ costUsd }) => costUsd)),
    isCostMaximum: ends.some(({ isCostMaximum }) => isCostMaximum),
    durationMs: ends.reduce((sum, { durationMs }) => sum + durationMs, 0),
  }
}

function tokensOf({ usage: { inputTokens, outputTokens } }: TryEnd): number | null {
  return inputTokens === null && outputTokens === null ? null : (inputTokens ?? 0) + (outputTokens ?? 0)
}

function addKnown(values: readonly (number | null)[]): number | null {
  const known = values.filter((value) => value !== null)
  return known.length === 0 ? null : known.reduce((sum, value) => sum + value, 0)
}

export function tokensText(tokens: number | null): string {
  if (tokens === null) return 'tokens unknown'
  return `${formatCount(tokens)} ${tokens === 1 ? 'token' : 'tokens'}`
}

export function costText({ costUsd, isCostMaximum }: Pick<AnswerSum, 'costUsd' | 'isCostMaximum'>): string {
  return isCostMaximum && costUsd !== null ? `at most ${formatCost(costUsd)}` : formatCost(costUsd)
}

export interface Progress {
  answered: number
  /** "1 writing, 1 waits, 1 failed"; empty if there is nothing to say. */
  others: string
}

export function progressOf(cells: readonly (Cell | undefined)[]): Progress {
  const answered = cells.filter(isAnswered).length
  const writing = cells.filter((cell) => cell?.state === 'writing').length
  const waiting = cells.filter((cell) => isBusy(cell) && cell?.state !== 'writing').length
  const open = cells.filter((cell) => cell?.state === 'ended' && cell.end?.conversation).length
  const failed = cells.filter(isFailed).length
  const parts = [
    [writing, 'writing'],
    [waiting, waiting === 1 ? 'waits' : 'wait'],
    [open, open === 1 ? 'asks you' : 'ask you'],
    [failed, 'failed'],
  ] as const
  return {
    answered,
    others: parts
      .filter(([count]) => count > 0)
      .map(([count, word]) => `${count} ${word}`)
      .join(', '),
  }
}

/** With an answer that is whole or cut off; calls of tools without their answers are none. */
export function isAnswered(cell: Cell | undefined): boolean {
  return cell?.state === 'ended' && cell.end?.reason !== 'failed' && !cell.end?.conversation
}

/** "2 of 3 fit the schema": counts only. A rate of a few answers would look like knowledge. */
export function schemaText(cells: readonly (Cell | undefined)[]): string | undefined {
  const checks = cells.flatMap((cell) => (isAnswered(cell) && cell?.end?.schema ? [cell.end.schema.valid] : []))
  if (checks.length === 0) return undefined
  const fits = checks.filter(Boolean).length
  return `${fits} of ${checks.length} ${checks.length === 1 ? 'fits' : 'fit'} the schema`
}

/** "$0.0034 and 3.1 s an answer". */
export function meanText(cells: readonly (Cell | undefined)[]): string | undefined {
  const sums = cells.flatMap((cell) => (cell && isAnswered(cell) ? (sumOf(cell) ?? []) : []))
  if (sums.length === 0) return undefined
  const isUnknown = sums.some(({ costUsd }) => costUsd === null)
  const cost = sums.reduce((sum, { costUsd }) => sum + (costUsd ?? 0), 0) / sums.length
  const time = sums.reduce((sum, { durationMs }) => sum + durationMs, 0) / sums.length
  return `${isUnknown ? 'cost unknown,' : `${formatCost(cost)} and`} ${formatDuration(time)} an answer`
}

/** What all answers cost, as far as it is known. Calls that were stopped cost something that no one has reported. */
export function spentText(cells: readonly (Cell | undefined)[]): string | undefined {
  const sums = cells.flatMap((cell) => (cell ? (sumOf(cell) ?? []) : []))
  const unknown = sums.filter(({ costUsd }) => costUsd === null).length + cells.filter(isStopped).length
  const known = sums.flatMap(({ costUsd }) => costUsd ?? [])
  if (known.length === 0) return unknown === 0 ? undefined : 'cost unknown'
  const isMaximum = sums.some(({ isCostMaximum }) => isCostMaximum)
  const total = costText({ costUsd: known.reduce((sum, value) => sum + value, 0), isCostMaximum: isMaximum })
  return `${total} spent${unknown === 0 ? '' : `, ${unknown} of unknown cost`}`
}

function isStopped(cell: Cell | undefined): boolean {
  return cell?.state === 'stopped'
}

export function allTokens(cells: readonly (Cell | undefined)[]): number | null {
  return addKnown(cells.map((cell) => (cell ? (sumOf(cell)?.tokens ?? null) : null)))
}
