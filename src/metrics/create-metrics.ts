/**
 * The metrics of one process, in the OpenMetrics format.
 *
 * Labels have few, fixed values: declared paths, kinds of jobs, classes of status. Ids, names and other data of users are never labels.
 * Counters are in memory and start at zero with the process; jobs and sizes are read from the database when the metrics are read.
 */
import { Counter, collectDefaultMetrics, Gauge, Histogram, type OpenMetricsContentType, Registry } from 'prom-client'
import { type Clock, timestamp } from '../base/clock.ts'
import { countJobsOfAnyWorkspace } from '../health/health-queries.ts'
import { READINESS_CHECKS, type Readiness } from '../health/readiness.ts'
import type { Queries } from '../storage/db.ts'

/** Seconds. Half of the requests need less than a millisecond; those above ten seconds are streams or stalled clients. */
const DURATION_BUCKETS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10]

/** Other methods are counted together: the client chooses them. */
const METHODS = new Set(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'])

export type MetricsDeps = {
  version: string
  clock: Clock
  storage: {
    readonly engine: string
    readonly read: Queries
    readSize(): Promise<number>
    readLog(): { bytes: number; checkpoints: number } | undefined
  }
  readiness: Readiness
}

type CountedRequest = { method: string; route: string | undefined; status: number; durationMs: number }

export type Metrics = {
  readonly contentType: string
  read(): Promise<string>
  countRequest(request: CountedRequest): void
  countSpans(counts: { stored: number; rejected: number }): void
  countBatch(bytes: number): void
  /** Of a batch of telemetry that was not stored, by the status of its response. */
  countFailedBatch(status: number): void
}

export function createMetrics(deps: MetricsDeps): Metrics {
  const registry = new Registry<OpenMetricsContentType>()
  registry.setContentType(Registry.OPENMETRICS_CONTENT_TYPE)
  const registers = [registry]
  collectDefaultMetrics({ register: registry })
  const build = new Gauge({
    name: 'touchstone_build_info',
    help: 'The version of the server; always 1',
    labelNames: ['version', 'engine', 'node'],
    registers,
  })
  build.set({ version: deps.version, engine: deps.storage.engine, node: process.versions.node }, 1)
  const requests = new Histogram({
    name: 'touchstone_http_request_duration_seconds',
    help: 'Time from the headers of a request to the end of its response',
    labelNames: ['method', 'route', 'status'],
    buckets: DURATION_BUCKETS,
    registers,
  })
  const ingestion = ingestionCounters(registry)
  const updateDatabase = databaseGauges(registry, deps)
  const ready = new Gauge({
    name: 'touchstone_ready',
    help: '1 if the check of GET /ready succeeds',
    labelNames: ['check'],
    registers,
  })
  return {
    contentType: registry.contentType,
    async read() {
      await updateDatabase()
      const problems = await deps.readiness()
      for (const name of READINESS_CHECKS)
        ready.set({ check: name }, problems.some(({ check }) => check === name) ? 0 : 1)
      return registry.metrics()
    },
    countRequest({ method, route = 'none', status, durationMs }) {
      const labels = { method: METHODS.has(method) ? method : 'other', route, status: classOf(status) }
      requests.observe(labels, durationMs / 1_000)
    },
    ...ingestion,
  }
}

function classOf(status: number): string {
  return `${Math.floor(status / 100)}xx`
}

function ingestionCounters(
  registry: Registry<OpenMetricsContentType>,
): Pick<Metrics, 'countSpans' | 'countBatch' | 'countFailedBatch'> {
  const registers = [registry]
  const spans = new Counter({ name: 'touchstone_ingest_spans_total', help: 'Spans that were stored', registers })
  const rejected = new Counter({
    name: 'touchstone_ingest_rejected_spans_total',
    help: 'Spans that were rejected in batches that were stored',
    registers,
  })
  const bytes = new Counter({
    name: 'touchstone_ingest_bytes_total',
    help: 'Bytes of stored OTLP batches, after decompression',
    registers,
  })
  const failed = new Counter({
    name: 'touchstone_ingest_failed_batches_total',
    help: 'OTLP batches that were not stored: 4xx are permanent, 5xx are sent again by the exporter',
    labelNames: ['status'],
    registers,
  })
  return {
    countSpans(counts) {
      spans.inc(counts.stored)
      rejected.inc(counts.rejected)
    },
    countBatch: (size) => bytes.inc(size),
    countFailedBatch: (status) => failed.inc({ status: classOf(status) }),
  }
}

/** Returns a function that reads the database and never throws: metrics are needed most when the database fails. */
function databaseGauges(
  registry: Registry<OpenMetricsContentType>,
  { clock, storage }: MetricsDeps,
): () => Promise<void> {
  const registers = [registry]
  const up = new Gauge({ name: 'touchstone_database_up', help: '1 if the database could be read', registers })
  const size = new Gauge({ name: 'touchstone_database_size_bytes', help: 'Size of the database', registers })
  const jobLabels = { labelNames: ['kind', 'state'], registers }
  const jobs = new Gauge({ name: 'touchstone_jobs', help: 'Jobs that are queued, running or failed', ...jobLabels })
  const ages = new Gauge({
    name: 'touchstone_job_oldest_age_seconds',
    help: 'Time since the oldest of these jobs was created',
    ...jobLabels,
  })
  const updateLog = storage.readLog() && logGauges(registry, storage)
  return async () => {
    try {
      const counts = await countJobsOfAnyWorkspace(storage.read)
      const databaseBytes = await storage.readSize()
      // Kinds and states without jobs have no row.
      jobs.reset()
      ages.reset()
      for (const { kind, state, count, oldestAt } of counts) {
        jobs.set({ kind, state }, Number(count))
        ages.set({ kind, state }, ageSeconds(clock, oldestAt))
      }
      size.set(databaseBytes)
      updateLog?.()
      up.set(1)
    } catch {
      // Reported by the gauge; the requests that fail for the same reason are logged.
      up.set(0)
    }
  }
}

function logGauges(
  registry: Registry<OpenMetricsContentType>,
  { readLog }: Pick<MetricsDeps['storage'], 'readLog'>,
): () => void {
  const registers = [registry]
  const size = new Gauge({
    name: 'touchstone_database_log_size_bytes',
    help: 'Size of the write-ahead log, which is part of the database',
    registers,
  })
  const checkpoints = new Counter({
    name: 'touchstone_database_checkpoints_total',
    help: 'How often the write-ahead log was copied into the database file',
    registers,
  })
  let counted = 0
  return () => {
    const log = readLog()
    if (!log) return
    size.set(log.bytes)
    checkpoints.inc(log.checkpoints - counted)
    counted = log.checkpoints
  }
}

function ageSeconds(clock: Clock, since: string | null): number {
  const now = clock.now()
  return Math.max(0, (now - Date.parse(since ?? timestamp(now))) / 1_000)
}
