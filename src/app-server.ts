/** The server that serves routes, files and OTLP: what requests need, put together. */
import { join } from 'node:path'
import { createRejectedKeys } from './auth/api-keys/rejected-keys.ts'
import { createDenialListener } from './auth/audit/denial-listener.ts'
import { createSecurityEvents } from './auth/audit/security-events.ts'
import { createAuthenticator } from './auth/authenticate.ts'
import { cookieSecret } from './auth/setup/instance-setting-queries.ts'
import { createAuthHandler } from './auth/sign-in/auth-handler.ts'
import { addressGroup } from './base/address-ranges.ts'
import { createBodyBudget } from './base/body-budget.ts'
import { type Clock, elapsedMs } from './base/clock.ts'
import { measureEventLoop } from './base/event-loop-use.ts'
import type { idGenerator } from './base/ids.ts'
import type { Logger } from './base/log.ts'
import type { TlsCertificate } from './base/tls-certificate.ts'
import { VERSION } from './base/version.ts'
import type { Config } from './config.ts'
import type { ModelAccess } from './connections/model-access.ts'
import { sharedReportMount } from './decisions/shared-report-mount.ts'
import type { TryDeps } from './evaluations/runner/try-cases.ts'
import type { Readiness } from './health/readiness.ts'
import { createAccessLog } from './http/access-log.ts'
import { authMount } from './http/auth-mount.ts'
import { readTrustedProxies } from './http/client-address.ts'
import { createFairShare } from './http/fair-share.ts'
import { guideFiles } from './http/guide-files.ts'
import type { RouteServices } from './http/serve-route.ts'
import { createServer } from './http/server.ts'
import type { ServedRequest } from './http/server-options.ts'
import { staticFiles } from './http/static-files.ts'
import { createEventIngest } from './ingestion/ingest-events.ts'
import { createIngest } from './ingestion/ingest-spans.ts'
import { createTraceLinker } from './ingestion/link-arrived-traces.ts'
import { otlpMounts } from './ingestion/otlp/otlp-mounts.ts'
import { createReceiver, keyAuthentication } from './ingestion/otlp/receive-traces.ts'
import type { JobRunner } from './jobs/job-runner.ts'
import type { MailOutbox } from './mail/mail-outbox.ts'
import { mcpMount } from './mcp-mount.ts'
import { withCountedBatches, withCountedSpans } from './metrics/count-ingestion.ts'
import type { Metrics } from './metrics/create-metrics.ts'
import { createPlayground } from './playground/create-playground.ts'
import { allowedHosts, callerLimits, connectionsOf } from './ports.ts'
import { requestIdempotency } from './request-idempotency.ts'
import { allRoutes } from './routes.ts'
import { createSealer } from './secrets/sealed-secret.ts'
import { limitBatches } from './storage/limit-batches.ts'
import type { Storage } from './storage/storage.ts'
import { readSearchIndexState } from './traces/search/index-state-queries.ts'
import { createQuotas } from './workspaces/quotas.ts'

/** Where the interface is built to. */
export const INTERFACE_FOLDER = join(import.meta.dirname, '../dist/web')
const GUIDE_FOLDER = join(import.meta.dirname, '../dist/guide')

const RUNNER_SILENCE_MAX_MS = 10_000
const ANONYMOUS_BODIES_BYTES_MAX = 4 << 20

export type ServerDeps = {
  config: Config
  clock: Clock
  log: Logger
  newId: ReturnType<typeof idGenerator>
  storage: Storage
  runner: JobRunner | undefined
  readiness: Readiness
  models: ModelAccess
  evaluations: TryDeps
  /** Of one call of a model. */
  modelTimeoutMs: number | undefined
  grpcUrl: () => string | undefined
  metrics: Metrics | undefined
  sleep: (ms: number) => Promise<unknown>
  mails: MailOutbox | undefined
  tls: TlsCertificate | undefined
  /** When everything is prepared that requests need. */
  opened: Promise<void>
}

export async function createAppServer(parts: ServerDeps) {
  const { config, clock, log, newId, storage, runner, readiness, models, evaluations, grpcUrl } = parts
  const { metrics, sleep, mails, tls, opened } = parts
  const { publicUrl, isSignupOpen } = config
  const bodies = {
    known: createBodyBudget({ bytesMax: config.limits.bodyBytesInFlightMax }),
    anonymous: createBodyBudget({ bytesMax: ANONYMOUS_BODIES_BYTES_MAX }),
  }
  const limits = callerLimits(config)
  const connections = connectionsOf(config)
  const quotas = createQuotas({ limits: config.quotas, clock })
  const linker = createTraceLinker({ clock, newId })
  const batches = limitBatches(storage, config.poolSizeMax)
  const plainIngest = createIngest({ db: batches, clock, newId, linker, quotas })
  const ingest = metrics ? withCountedSpans(plainIngest, metrics) : plainIngest
  const playground = createPlayground({ ...evaluations, timeoutMs: parts.modelTimeoutMs, ingest, quotas })
  const ingestEvents = createEventIngest({ db: storage, clock, linker })
  const rejectedKeys = createRejectedKeys(clock)
  const worker = () => (runner ? (isPolling(runner, clock) ? 'running' : 'stalled') : 'none')
  const routes = allRoutes({
    ingest,
    linker,
    onboarding: { rejectedKeys, publicUrl, grpcUrl },
    health: {
      version: VERSION,
      storage,
      readSearchIndex: () => readSearchIndexState(storage),
      startedAtMs: clock.now(),
      eventLoop: measureEventLoop(clock),
      worker,
    },
    connections: models,
    evaluations,
    playground,
    trialCalls: { ingest, retryPauseMs: evaluations.retryPauseMs },
    quotas,
    workspacesPerPersonMax: config.limits.workspacesPerPersonMax,
    publicUrl,
    version: VERSION,
    signIn: {
      isSignupOpen,
      sendsMail: mails !== undefined,
      oidcOnly: !config.isPasswordLoginAllowed,
      oidcName: config.oidc?.name ?? null,
    },
    mails,
    readiness,
  })
  const secret = await cookieSecret(storage)
  const events = createSecurityEvents({ db: storage, newId, log })
  const onDenied = createDenialListener({ db: storage, clock, events, rejectedKeys })
  const authHandler = createAuthHandler({
    db: storage,
    clock,
    newId,
    secret,
    sealer: createSealer(config),
    publicUrl,
    openSignup: isSignupOpen,
    mails,
    oidc: config.oidc,
    isPasswordLoginAllowed: config.isPasswordLoginAllowed,
    log,
    events,
    sleep,
    random: Math.random,
  })
  const authenticator = createAuthenticator({ db: storage, clock, log, cookie: { publicUrl, secret }, limits })
  const authenticate = keyAuthentication(authenticator, onDenied)
  const share = createFairShare()
  const enter = async (authorization: string, address: string) => {
    const caller = authenticator.recognize({ authorization, cookie: undefined, applicationId: undefined, address })
    const place = share(caller ?? addressGroup(address), { isAnonymous: caller === undefined })
    await place.enter()
    return place.leave
  }
  const plainReceiver = createReceiver({
    authenticate,
    ingest,
    ingestEvents,
    log,
    bodies: bodies.known,
    enter,
  })
  const receiver = metrics ? withCountedBatches(plainReceiver, metrics) : plainReceiver
  const { bodyBytesMax } = config
  const callers = { authenticator, onDenied, withIdempotency: requestIdempotency(clock), limits }
  const services: RouteServices = { ...callers, context: { db: storage, clock }, newId, bodies, bodyBytesMax }
  const guide = guideFiles(GUIDE_FOLDER)
  const webInterface = staticFiles(INTERFACE_FOLDER)
  const server = createServer({
    ...services,
    share,
    routes,
    mounts: [
      authMount(authHandler, bodies),
      ...otlpMounts(receiver),
      sharedReportMount({ db: storage, clock, ...limits }),
      mcpMount(routes, services, log),
    ],
    log,
    isAllowedHost: allowedHosts({ ...config, publicUrl }, config.host),
    isTrustedProxy: readTrustedProxies(config.trustedProxies),
    publicUrl,
    tls,
    requestTimeoutMs: config.requestTimeoutMs,
    connections,
    opened,
    onServed: listenerFor(config, { log, metrics }),
    fallback: async (request) => (await guide(request)) ?? webInterface(request),
  })
  return { server, receiver, events, connections, playground }
}

function listenerFor({ isAccessLogOn }: Config, { log, metrics }: Pick<ServerDeps, 'log' | 'metrics'>) {
  if (!isAccessLogOn) return metrics?.countRequest
  const logRequest = createAccessLog(log)
  if (!metrics) return logRequest
  return (served: ServedRequest) => {
    logRequest(served)
    metrics.countRequest(served)
  }
}

export function isPolling(runner: JobRunner, clock: Clock): boolean {
  return elapsedMs(clock) - runner.lastPollAt < RUNNER_SILENCE_MAX_MS
}
