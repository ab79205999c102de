/**
 * Measures the cost of the server, relative to a bare `node:http` server that returns the same bytes, and compares the
 * results with their bars.
 *
 * Usage: node bench/run.ts [--quick] [--strict] [--spans <number>] [--spans-per-trace <number>] [--keep <folder>]
 *   [get-one] [list] [read-traces] [create] [large-table] [memory] [event-loop] [postgres] [ingest] [overload] [large-traces]
 *   [comparison] [evaluations] [statistics-coverage]
 *
 * --quick   fewer requests in fewer rounds, for a first impression
 * --strict  exits with 1 if a bar is missed
 * --spans   the number of spans in the larger set of `large-traces`; the other one has a tenth
 * --spans-per-trace  in the two sets of `large-traces`, 20 if not given; with 4, a million traces fit a laptop
 * --keep    where `large-traces` stores its sets for the next run: creating them needs minutes
 */
import { parseArgs } from 'node:util'
import { measureComparison } from './comparison.ts'
import { measureCreate } from './create.ts'
import { measureEvaluations } from './evaluations.ts'
import { measureEventLoop } from './event-loop.ts'
import { measureGetOne } from './get-one.ts'
import type { Effort } from './harness/compare.ts'
import { type Line, printHead, printLine } from './harness/line.ts'
import { type Servers, startBare, startTouchstone } from './harness/servers.ts'
import { measureIngest } from './ingest.ts'
import { measureLargeTable } from './large-table.ts'
import { measureLargeTraces } from './large-traces.ts'
import { measureList } from './list.ts'
import { measureMemory } from './memory.ts'
import { measureOverload } from './overload.ts'
import { measurePostgres } from './postgres.ts'
import { measureReadTraces } from './read-traces.ts'
import { SPANS_PER_TRACE } from './spans.ts'
import { measureStatisticsCoverage } from './statistics-coverage.ts'

type Measure = (servers: Servers, effort: Effort) => AsyncGenerator<Line>

const MEASURES: Record<string, Measure> = {
  'get-one': measureGetOne,
  list: measureList,
  'read-traces': measureReadTraces,
  create: measureCreate,
  'large-table': measureLargeTable,
  memory: measureMemory,
  'event-loop': measureEventLoop,
  postgres: measurePostgres,
  ingest: measureIngest,
  overload: measureOverload,
  'large-traces': measureLargeTraces,
  comparison: measureComparison,
  evaluations: measureEvaluations,
  'statistics-coverage': measureStatisticsCoverage,
}

const FULL: Effort = { rounds: 7, share: 1, spans: 10_000_000, spansPerTrace: SPANS_PER_TRACE }
const QUICK: Effort = { ...FULL, rounds: 3, share: 0.25, spans: 2_000_000 }
const SMALL_TABLE_ROWS = 1_000

const { values: options, positionals: wanted } = parseArgs({
  allowPositionals: true,
  options: {
    quick: { type: 'boolean' },
    strict: { type: 'boolean' },
    spans: { type: 'string' },
    'spans-per-trace': { type: 'string' },
    keep: { type: 'string' },
  },
})
const unknown = wanted.find((name) => !(name in MEASURES))
if (unknown !== undefined) throw new Error(`${unknown} is not one of ${Object.keys(MEASURES).join(', ')}`)

const chosen = options.quick ? QUICK : FULL
const isAllMet = await run({
  ...chosen,
  spans: Number(options.spans ?? chosen.spans),
  spansPerTrace: Number(options['spans-per-trace'] ?? chosen.spansPerTrace),
  ...(options.keep ? { keep: options.keep } : {}),
})
process.exitCode = options.strict && !isAllMet ? 1 : 0

async function run(effort: Effort): Promise<boolean> {
  const [bare, touchstone] = await Promise.all([startBare(), startTouchstone()])
  try {
    await touchstone.ask('seedComponents', SMALL_TABLE_ROWS)
    const servers = { touchstone, bare, rows: SMALL_TABLE_ROWS }
    let isMet = true
    printHead()
    for (const [name, measure] of Object.entries(MEASURES)) {
      if (wanted.length > 0 && !wanted.includes(name)) continue
      for await (const line of measure(servers, effort)) {
        printLine(line)
        if (line.isMet === false) isMet = false
      }
    }
    return isMet
  } finally {
    await Promise.all([bare.stop(), touchstone.stop()])
  }
}
