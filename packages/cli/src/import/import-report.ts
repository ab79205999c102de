/** Counts what a source had and what became of it. For each kind, source = created + already there + not taken. */
import { stringify } from 'yaml'
import { printableJson } from '../output/escape-text.ts'
import { printTable } from '../output/print-table.ts'
import type { Terminal } from '../output/terminal.ts'
import { COUNTED_KINDS, type CountedKind, type NotTakenRecord, type SuggestedEvaluator } from './import-record.ts'

const LINES_MAX = 50

interface Counts {
  source: number
  created: number
  alreadyThere: number
  notTaken: number
}

export interface ImportReport {
  source: string
  dryRun: boolean
  component: string
  counts: Partial<Record<CountedKind, Counts>>
  /** The same thing for the same reason is listed once, with its number. */
  notTaken: { of: CountedKind; what: string; reason: string; count: number }[]
  /** For `evaluators` of touchstone.yaml. */
  suggestedEvaluators: SuggestedEvaluator['evaluator'][]
}

export interface ImportTally {
  created(kind: CountedKind, count?: number): void
  alreadyThere(kind: CountedKind, count?: number): void
  notTaken(record: Omit<NotTakenRecord, 'kind'>): void
  suggest(evaluator: SuggestedEvaluator['evaluator']): void
  report(): Pick<ImportReport, 'counts' | 'notTaken' | 'suggestedEvaluators'>
  /** For the line of progress. */
  summary(): string
}

export function startTally(): ImportTally {
  const counts: Partial<Record<CountedKind, Counts>> = {}
  const notTaken = new Map<string, ImportReport['notTaken'][number]>()
  const suggested = new Map<string, SuggestedEvaluator['evaluator']>()
  const add = (kind: CountedKind, outcome: 'created' | 'alreadyThere' | 'notTaken', count: number) => {
    if (count === 0) return
    counts[kind] ??= { source: 0, created: 0, alreadyThere: 0, notTaken: 0 }
    counts[kind].source += count
    counts[kind][outcome] += count
  }
  return {
    created: (kind, count = 1) => add(kind, 'created', count),
    alreadyThere: (kind, count = 1) => add(kind, 'alreadyThere', count),
    notTaken({ of, what, reason, count = 1 }) {
      add(of, 'notTaken', count)
      const key = JSON.stringify([of, what, reason])
      const known = notTaken.get(key)
      if (known) known.count += count
      else notTaken.set(key, { of, what, reason, count })
    },
    suggest: (evaluator) => void suggested.set(JSON.stringify(evaluator), evaluator),
    report: () => ({
      counts: Object.fromEntries(COUNTED_KINDS.flatMap((kind) => (counts[kind] ? [[kind, counts[kind]]] : []))),
      notTaken: [...notTaken.values()],
      suggestedEvaluators: [...suggested.values()],
    }),
    summary: () =>
      COUNTED_KINDS.flatMap((kind) => (counts[kind] ? [`${counts[kind].source} ${kind}`] : [])).join(', ') || 'reading',
  }
}

/** A table on stdout, the details on stderr; or all of it as JSON. */
export function printImport(terminal: Terminal, report: ImportReport, { json }: { json?: boolean }): void {
  if (json) {
    terminal.data(`${printableJson(report)}\n`)
    return
  }
  const { dryRun, counts, notTaken, suggestedEvaluators } = report
  const header = ['', 'SOURCE', dryRun ? 'WOULD BE CREATED' : 'CREATED', 'ALREADY THERE', 'NOT TAKEN']
  const rows = Object.entries(counts).map(([kind, { source, created, alreadyThere, notTaken }]) => [
    kind,
    source,
    created,
    alreadyThere,
    notTaken,
  ])
  printTable(terminal, header, rows)
  if (notTaken.length > 0) terminal.message('Not taken:')
  for (const { of, what, reason, count } of notTaken.slice(0, LINES_MAX)) {
    const many = count > 1 ? ` (${count} times)` : ''
    terminal.message(`  ${of === 'other' ? '' : `${of}: `}${what}${many}: ${reason}`)
  }
  if (notTaken.length > LINES_MAX) terminal.message(`  and ${notTaken.length - LINES_MAX} more: --json has all.`)
  if (suggestedEvaluators.length > 0) {
    terminal.message('Evaluators that do what the source did, for touchstone.yaml:')
    terminal.message(stringify({ evaluators: suggestedEvaluators }).trimEnd())
  }
  if (dryRun) terminal.message('Dry run: nothing was sent.')
}
