/** The composition root: config → storage → auth → routes → server → job runner. Nothing else knows all of them. */

import { setTimeout as delay } from 'node:timers/promises'
import type { FastifyInstance } from 'fastify'
import { createAppServer, isPolling } from './app-server.ts'
import {
  checkAdmin,
  type FirstStart,
  isSetupNeeded,
  NO_CHANGES,
  prepareInstallation,
} from './auth/setup/first-start.ts'
import { type Clock, systemClock } from './base/clock.ts'
import type { Connections } from './base/connection-limits.ts'
import { AppError } from './base/errors.ts'
import { idGenerator } from './base/ids.ts'
import { createLogger, type Logger } from './base/log.ts'
import { openTlsCertificate } from './base/tls-certificate.ts'
import { workerFile } from './base/worker-file.ts'
import { addressOf, type Config } from './config.ts'
import { announceDefaultModel, createModelAccess } from './connections/model-access.ts'
import { createEvaluationDeps } from './evaluations/create-evaluation-deps.ts'
import { listAllowedTargets } from './health/allowed-targets.ts'
import { createReadiness } from './health/readiness.ts'
import { startHousekeeping } from './housekeeping.ts'
import type { GrpcServer } from './ingestion/otlp/grpc-server.ts'
import { jobHandlers } from './job-handlers.ts'
import { endLeasesOfAnyWorkspace } from './jobs/job-queries.ts'
import { JobRunner } from './jobs/job-runner.ts'
import { createMailOutbox } from './mail/mail-outbox.ts'
import { createMailer } from './mail/mailer.ts'
import { CLOSE_GRACE_MS, listen, listenForGrpc, serveMetrics, urlOf } from './ports.ts'
import { migrate } from './storage/migrate.ts'
import { openStorage, type Storage } from './storage/storage.ts'
import { createSearchIndexer } from './traces/search/indexer.ts'
import { maintainSearchIndex } from './traces/search/maintain-search-index.ts'
import { createTrialDeps } from './trials/create-trial-deps.ts'

const EMBEDDED = {
  readWorkerEntry: workerFile(new URL('./read-worker-tasks.ts', import.meta.url)),
  createSearchIndexer,
}
const LEASE_SECONDS = 20
const POLL_MS = 200
const TURN_MS = 15_000
/** Until a connection without a request is closed at the end: a request may be on its way. */
const CLOSE_WAITING_MS = 500

const KEY_STAYS_REVOKED =
  'TOUCHSTONE_API_KEY is set to a key that was revoked, or whose owner was removed. It stays revoked; set another value, or none'

const NO_FIRST_ACCOUNT =
  'TOUCHSTONE_PASSWORD_LOGIN=off needs a first account. Set TOUCHSTONE_ADMIN_EMAIL to an address of the provider and TOUCHSTONE_ADMIN_PASSWORD, or set up the server with a password first'

export type App = {
  url: string
  /** The address that accepts traces over gRPC; undefined if there is none, for example because of `isGrpcPortTaken`. */
  grpcUrl: string | undefined
  isGrpcPortTaken: boolean
  /** Undefined if there are none. */
  metricsUrl: string | undefined
  storage: Storage
  firstStart: FirstStart
  /** A line about the model that evaluations ask by default, as soon as that is known; undefined where there is none. */
  modelNotice: Promise<string | undefined>
  close(): Promise<void>
}

export type AppDeps = {
  config: Config
  /** What this process does: answer requests, run jobs, or both. */
  serves: boolean
  works: boolean
  /** Where the caller prints what the first start creates. */
  firstStartShownOn?: 'terminal' | 'log'
  clock?: Clock
  log?: Logger
  leaseSeconds?: number
  /** How long a job may work while others wait for a place. */
  turnMs?: number
  /** How a sign-in that has to wait does so. */
  sleep?: (ms: number) => Promise<unknown>
  /** How often to look for jobs. */
  pollMs?: number
  /** How often to look for a new certificate. */
  tlsPollMs?: number
  /** Of one call of a model. */
  modelTimeoutMs?: number
  /** Before a model is asked a second time. */
  retryPauseMs?: number
  /** Of a preview of an evaluation. */
  previewTimeoutMs?: number
  /** How often a job that waits for others, such as a trial for its evaluations, looks whether they have ended. */
  pauseSeconds?: number
}

/** Opens everything, migrates, and starts to serve and to work. Closing undoes it in reverse and finishes what began. */
export async function startApp({ config, serves, works, ...parts }: AppDeps): Promise<App> {
  const clock = parts.clock ?? systemClock()
  const log = parts.log ?? createLogger(config.logLevel)
  const newId = idGenerator(clock)
  checkAdmin(config)
  const tls =
    config.tls && serves
      ? openTlsCertificate({ ...config.tls, log, now: clock.now, pollMs: parts.tlsPollMs })
      : undefined
  const models = createModelAccess(config, () => listAllowedTargets(storage.read))
  const options = { ...storageOptions(config, log), embedded: EMBEDDED }
  const storage = await openStorage({ ...options, use: 'server' })
  const closing: (() => Promise<void> | void)[] = [() => tls?.close(), () => storage.close()]
  const close = async () => {
    for (const part of closing.splice(0).reverse()) await part()
  }
  try {
    await migrate(storage, clock)
    // Not waited for: with many spans it needs minutes, and without it searches are only slower. It never fails.
    closing.push(maintainSearchIndex({ engine: storage.engine, url: config.databaseUrl, log }))
    const { leaseSeconds = LEASE_SECONDS, turnMs = TURN_MS, pollMs = POLL_MS } = parts
    const evaluations = createEvaluationDeps({ access: models, clock, log, ...parts })
    const modelNotice = announceDefaultModel(models, { clock, log })
    const trials = createTrialDeps({ ...parts, config, storage, clock, newId, log, evaluations })
    const handlers = jobHandlers(evaluations, trials)
    const jobs = { db: storage, clock, newId, log, handlers, concurrency: config.workerConcurrency }
    const runner = works ? new JobRunner({ ...jobs, leaseSeconds, turnMs, pollMs }) : undefined
    const readiness = createReadiness({
      writes: () => storage.checkWritable(),
      jobs: () => checkRunner(runner, clock),
      nodes: () => storage.checkNodes(),
    })
    const served = await serveMetrics(config, { storage, clock, log, readiness })
    if (served) closing.push(() => served.server.close())
    const metrics = served?.metrics
    const opening = Promise.withResolvers<void>()
    let grpc: GrpcServer | 'off' | 'port-taken' = 'off'
    const grpcUrl = () =>
      typeof grpc === 'object' ? addressOf(config.host, grpc.port, tls ? 'https' : 'http') : undefined
    const sleep = parts.sleep ?? delay
    const mails =
      config.mail && serves ? createMailOutbox({ mailer: createMailer(config.mail), log, sleep }) : undefined
    if (mails) closing.push(() => mails.close())
    const { modelTimeoutMs } = parts
    const started = { storage, runner, readiness, models, evaluations, modelTimeoutMs, grpcUrl, metrics }
    const prepared = { ...started, sleep, mails, tls, opened: opening.promise }
    const server = { config, clock, log, newId, ...prepared }
    const httpServer = serves ? await createAppServer(server) : undefined
    if (runner) closing.push(() => runner.stop())
    if (httpServer) {
      closing.push(() => httpServer.events.flush())
      await listen(httpServer.server, config)
      // Both at once: each may take as long as the slowest of its requests.
      closing.push(async () => {
        // Does nothing once it is open. Requests that wait for it are answered with this.
        opening.reject(new AppError(503, 'The server is shutting down'))
        await Promise.all([
          closeServer(httpServer),
          httpServer.playground.close(),
          typeof grpc === 'object' && grpc.close(),
        ])
      })
      grpc = await listenForGrpc(httpServer.receiver, server)
    }
    // Only now: a start that fails because the port is taken must not use up the one time that the first key is shown. Requests that
    // come meanwhile wait: the first key and account would not be found yet, and exporters drop what was answered 401.
    // A process that only runs jobs prints neither the key nor the set-up link, so it must not create the one or replace the other.
    const options = { ...config, shownOn: parts.firstStartShownOn ?? ('log' as const) }
    const firstStart = serves ? await prepareInstallation(storage, { clock, newId }, options) : NO_CHANGES
    if (firstStart.isApiKeyRevoked) log.warn(KEY_STAYS_REVOKED)
    if (serves && !config.isPasswordLoginAllowed && (await isSetupNeeded(storage.read)))
      throw new AppError(500, NO_FIRST_ACCOUNT)
    if (runner) {
      // The worker that had these jobs is gone, because only one process can open this database: its leases can end now.
      if (storage.isOnlyProcess) await storage.transaction((tx) => endLeasesOfAnyWorkspace(tx, clock))
      runner.start()
    }
    closing.push(startHousekeeping({ storage, clock, newId, log }))
    opening.resolve()
    return {
      url: urlOf(config, httpServer?.server.server.address()),
      grpcUrl: grpcUrl(),
      isGrpcPortTaken: grpc === 'port-taken',
      metricsUrl: served?.server.url,
      storage,
      firstStart,
      modelNotice,
      close,
    }
  } catch (error) {
    await close()
    throw error
  }
}

export function storageOptions(config: Config, log: Logger) {
  const { databaseUrl: url, poolSizeMax, statementTimeoutMs } = config
  return { url, log, poolSizeMax, statementTimeoutMs, onFatal: (error: unknown) => endProcess(error, log) }
}

/** Ends the process: the supervisor starts it again, and reopening the database shows what is on disk. */
function endProcess(error: unknown, log: Logger): void {
  log.fatal({ err: error }, 'the disk has failed; ending')
  log.flush(() => process.exit(1))
}

/** Responds to open requests. Clients that are still sending after a while are disconnected. */
async function closeServer({ server, connections }: { server: FastifyInstance; connections: Connections }) {
  const waiting = setTimeout(() => connections.closeWaiting(), CLOSE_WAITING_MS)
  const graceTimer = setTimeout(() => server.server.closeAllConnections(), CLOSE_GRACE_MS)
  await server.close()
  clearTimeout(waiting)
  clearTimeout(graceTimer)
}

function checkRunner(runner: JobRunner | undefined, clock: Clock): void {
  if (!runner || isPolling(runner, clock)) return
  throw new AppError(503, 'They are not being run by this process')
}
