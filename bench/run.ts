/**
 * Measures the cost of the server, relative to a bare `node:http` server that returns the same bytes, and compares the
 * results with their bars.
 *
 * Usage: node bench/run.ts [--quick] [--strict] [--record | --check] [--spans <number>] [--spans-per-trace <number>] [--keep <folder>]
 *   [get-one] [prompts] [list] [read-traces] [create] [large-table] [memory] [event-loop] [postgres] [ingest] [overload] [bystander]
 *   [attacks] [large-traces] [comparison] [evaluations] [trials] [statistics-coverage]
 *
 * --quick   fewer requests in fewer rounds, for a first impression
 * --strict  exits with 1 if a bar is missed
 * --record  writes the figures to bench/recorded.json, and the plot of them; those of statistics-coverage, if it is named, to
 *           bench/statistics/recorded-cells.md
 * --check   exits with 1 if a ratio is more than 20 % worse than the recorded one, in two measurements
 * --spans   the number of spans in the larger set of `large-traces`; the other one has a tenth
 * --spans-per-trace  in the two sets of `large-traces`, 20 if not given; with 4, a million traces fit a laptop
 * --keep    where `large-traces` stores its sets for the next run: creating them needs minutes
 */
import { execFileSync } from 'node:child_process'
import { parseArgs } from 'node:util'
import { measureAttacks } from './attacks.ts'
import { measureBystander } from './bystander.ts'
import { measureComparison } from './comparison.ts'
import { measureCreate } from './create.ts'
import { measureEvaluations } from './evaluations.ts'
import { measureEventLoop } from './event-loop.ts'
import { measureGetOne } from './get-one.ts'
import type { Effort } from './harness/compare.ts'
import { bestOf, type Change, changesTable, compareWithRecorded, WORSE_BY_MAX } from './harness/compare-recorded.ts'
import { type Figure, figuresOf, type Group, type MeasuredLine } from './harness/figure.ts'
import { type Line, printHead, printLine } from './harness/line.ts'
import {
  groupOf,
  hasRecorded,
  mergeRecorded,
  ofGroups,
  readRecorded,
  writeRecorded,
} from './harness/recorded-figures.ts'
import { type Servers, startBare, startTouchstone } from './harness/servers.ts'
import { measureYardstick } from './harness/yardstick.ts'
import { measureIngest } from './ingest.ts'
import { measureLargeTable } from './large-table.ts'
import { measureLargeTraces } from './large-traces.ts'
import { measureList } from './list.ts'
import { measureMemory } from './memory.ts'
import { measureOverload } from './overload.ts'
import { writePlot } from './plot.ts'
import { measurePostgres } from './postgres.ts'
import { measurePrompts } from './prompts.ts'
import { measureReadTraces } from './read-traces.ts'
import { SPANS_PER_TRACE } from './spans.ts'
import { measureStatisticsCoverage } from './statistics-coverage.ts'
import { measureTrials } from './trials.ts'

type Measure = (servers: Servers, effort: Effort) => AsyncGenerator<Line>

const MEASURES: Record<string, Measure> = {
  'get-one': measureGetOne,
  prompts: measurePrompts,
  list: measureList,
  'read-traces': measureReadTraces,
  create: measureCreate,
  'large-table': measureLargeTable,
  memory: measureMemory,
  'event-loop': measureEventLoop,
  postgres: measurePostgres,
  ingest: measureIngest,
  overload: measureOverload,
  bystander: measureBystander,
  attacks: measureAttacks,
  'large-traces': measureLargeTraces,
  comparison: measureComparison,
  evaluations: measureEvaluations,
  trials: measureTrials,
  'statistics-coverage': measureStatisticsCoverage,
}

/** Its lines are shares and no costs. They have a file of their own, which is written only if it is named. */
const SIMULATED = 'statistics-coverage'

const FULL: Effort = { rounds: 7, share: 1, spans: 10_000_000, spansPerTrace: SPANS_PER_TRACE }
const QUICK: Effort = { ...FULL, rounds: 3, share: 0.25, spans: 2_000_000 }
const SMALL_TABLE_ROWS = 1_000

const { values: options, positionals: named } = parseArgs({
  allowPositionals: true,
  options: {
    quick: { type: 'boolean' },
    strict: { type: 'boolean' },
    record: { type: 'boolean' },
    check: { type: 'boolean' },
    spans: { type: 'string' },
    'spans-per-trace': { type: 'string' },
    keep: { type: 'string' },
  },
})
const unknown = named.find((name) => !(name in MEASURES))
if (unknown !== undefined) throw new Error(`${unknown} is not one of ${Object.keys(MEASURES).join(', ')}`)
if (options.record && options.check) throw new Error('--record and --check exclude each other')

const isRecorded = options.record || options.check
const all = Object.keys(MEASURES).filter((name) => !isRecorded || name !== SIMULATED)
const recordable = options.record && named.includes(SIMULATED) ? [...all, SIMULATED] : all
const wanted = recordable.filter((name) => named.length === 0 || named.includes(name))
if (wanted.length === 0) throw new Error(`${named.join(', ')} has no figures that are recorded`)

const chosen = options.quick ? QUICK : FULL
const effort: Effort = {
  ...chosen,
  spans: Number(options.spans ?? chosen.spans),
  spansPerTrace: Number(options['spans-per-trace'] ?? chosen.spansPerTrace),
  ...(options.keep ? { keep: options.keep } : {}),
  ...(options.record ? { isRecorded: true } : {}),
}

const groups = await measure(wanted)
const isAllMet = groups.every(({ lines }) => lines.every(({ isMet }) => isMet !== false))
if (options.strict && !isAllMet) process.exitCode = 1
if (options.check && !(await check(groups))) process.exitCode = 1

async function measure(names: string[]): Promise<Group[]> {
  const [bare, touchstone] = await Promise.all([startBare(), startTouchstone()])
  try {
    await touchstone.ask('seedComponents', SMALL_TABLE_ROWS)
    const servers = { touchstone, bare, rows: SMALL_TABLE_ROWS }
    const measured: Group[] = []
    printHead()
    for (const [name, measureGroup] of Object.entries(MEASURES)) {
      if (!names.includes(name)) continue
      const isTimed = isRecorded && name !== SIMULATED
      let before = isTimed ? measureYardstick() : 0
      const lines: MeasuredLine[] = []
      for await (const line of measureGroup(servers, effort)) {
        printLine(line)
        const after = isTimed ? measureYardstick() : 0
        lines.push({ ...line, yardstickMicros: (before + after) / 2 })
        before = after
      }
      const group = { name, lines }
      measured.push(group)
      // After each group: what was measured is recorded even if a later group fails.
      if (options.record && name !== SIMULATED) record(group)
    }
    return measured
  } finally {
    await Promise.all([bare.stop(), touchstone.stop()])
  }
}

function record(group: Group): void {
  const date = execFileSync('git', ['log', '-1', '--format=%cs'], { cwd: import.meta.dirname, encoding: 'utf8' }).trim()
  const about = { effort: options.quick ? 'quick' : 'full', date } as const
  const now = new Map([...figuresOf(group)].map(([name, figure]) => [name, { ...figure, ...about }]))
  const before = hasRecorded() ? readRecorded() : new Map()
  writeRecorded(mergeRecorded(before, now, { measured: [group.name], all }))
  writePlot()
}

/** Measures the groups of worse lines a second time: only what is worse twice is a regression and not a busy machine. */
async function check(measured: Group[]): Promise<boolean> {
  const recorded = ofGroups(readRecorded(), wanted)
  let figures = allFigures(measured)
  const worseIn = (changes: Change[]) => changes.filter(({ verdict }) => verdict === 'worse').map(({ name }) => name)
  const suspects = new Set(worseIn(compareWithRecorded(recorded, figures)).map(groupOf))
  if (suspects.size > 0) {
    console.log(`\nWorse than recorded, measuring again: ${[...suspects].join(', ')}`)
    figures = bestOf(figures, allFigures(await measure([...suspects])))
  }
  const changes = compareWithRecorded(recorded, figures)
  const worse = worseIn(changes)
  console.log(`\n${changesTable(changes)}`)
  if ([...recorded.values()].some(({ effort: of }) => (of === 'quick') !== (options.quick === true))) {
    console.log('Recorded with another effort: names of lines contain sizes, and ratios depend on them.')
  }
  console.log(
    worse.length === 0
      ? `No line is more than ${100 * WORSE_BY_MAX} % worse than recorded.`
      : `More than ${100 * WORSE_BY_MAX} % worse than recorded: ${worse.join('; ')}.`,
  )
  return worse.length === 0
}

function allFigures(measured: Group[]): Map<string, Figure> {
  return new Map(measured.flatMap((group) => [...figuresOf(group)]))
}
