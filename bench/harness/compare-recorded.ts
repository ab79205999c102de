import type { Figure } from './figure.ts'

export const WORSE_BY_MAX = 0.2

type Verdict = 'worse' | 'better' | 'same' | 'not compared' | 'absent' | 'new'

export type Change = { name: string; verdict: Verdict; recorded?: Figure; now?: Figure; change?: number }

/** Compares each line by its ratio only; `recorded` has just the lines of the groups that were measured. */
export function compareWithRecorded(
  recorded: ReadonlyMap<string, Figure>,
  measured: ReadonlyMap<string, Figure>,
): Change[] {
  return [...new Set([...recorded.keys(), ...measured.keys()])].map((name) =>
    changeOf(name, recorded.get(name), measured.get(name)),
  )
}

function changeOf(name: string, recorded: Figure | undefined, now: Figure | undefined): Change {
  if (!recorded) return { name, verdict: 'new', ...(now && { now }) }
  if (!now) return { name, verdict: 'absent', recorded }
  if (recorded.ratio === undefined || now.ratio === undefined || recorded.ratio <= 0) {
    return { name, verdict: 'not compared', recorded, now }
  }
  const change = now.ratio / recorded.ratio - 1
  const worseBy = now.better === 'less' ? change : -change
  const verdict = worseBy > WORSE_BY_MAX ? 'worse' : worseBy < -WORSE_BY_MAX ? 'better' : 'same'
  return { name, verdict, recorded, now, change }
}

/** Of two measurements of the same lines, the better one of each: a busy machine makes a ratio worse and hardly ever better. */
export function bestOf(first: ReadonlyMap<string, Figure>, second: ReadonlyMap<string, Figure>): Map<string, Figure> {
  const best = new Map(first)
  for (const [name, figure] of second) {
    const other = best.get(name)
    if (!other || isBetter(figure, other)) best.set(name, figure)
  }
  return best
}

function isBetter({ ratio, better }: Figure, other: Figure): boolean {
  if (ratio === undefined || other.ratio === undefined) return false
  return better === 'less' ? ratio < other.ratio : ratio > other.ratio
}

/** The lines with a ratio, then those that only one of the two runs has. */
export function changesTable(changes: readonly Change[]): string {
  const compared = changes.filter(({ change }) => change !== undefined)
  const rows = compared.map(({ name, recorded, now, change = 0, verdict }) => [
    name,
    ratioText(recorded),
    ratioText(now),
    `${change >= 0 ? '+' : ''}${(100 * change).toFixed(0)} %`,
    verdict === 'worse' ? 'WORSE' : verdict === 'better' ? 'better' : '',
  ])
  const named = (verdict: Verdict, text: string) =>
    changes.filter((change) => change.verdict === verdict).map(({ name }) => `${text}: ${name}`)
  return [
    ...alignColumns([['line', 'recorded', 'now', 'change', ''], ...rows]),
    ...named('absent', 'recorded, but not measured'),
    ...named('new', 'measured, but not recorded'),
  ].join('\n')
}

function ratioText(figure: Figure | undefined): string {
  if (figure?.ratio === undefined) return ''
  return figure.ratio >= 100 ? figure.ratio.toFixed(0) : figure.ratio.toPrecision(3)
}

function alignColumns(rows: string[][]): string[] {
  const widths = (rows[0] ?? []).map((_, column) => Math.max(...rows.map((row) => (row[column] ?? '').length)))
  const pad = (text: string, column: number) =>
    column === 0 ? text.padEnd(widths[column] ?? 0) : text.padStart(widths[column] ?? 0)
  return rows.map((row) => row.map(pad).join('  ').trimEnd())
}
