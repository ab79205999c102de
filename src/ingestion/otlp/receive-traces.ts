/**
 * The path of telemetry into the server, for every protocol: authentication (401, 403), admission (503), and storing decoded batches. The
 * transports (`otlp-mounts.ts`, `grpc-server.ts`) differ only in how bytes arrive.
 *
 * Exporters retry after 429, 502, 503 and 504, and drop the batch after any other error. So every transient error of the server is 503,
 * including errors that are 500 elsewhere; what was stored of a batch before an error stays unchanged when the batch is sent again. A
 * batch that can never be stored is 400: otherwise the exporter would retry it forever and block the batches behind it.
 */
import type { BodyBudget, BodyReservation, Wait } from '../../base/body-budget.ts'
import { AppError, codeOf, QuotaError, unauthorized, unavailable } from '../../base/errors.ts'
import { TurnQueue } from '../../base/event-loop.ts'
import type { Logger } from '../../base/log.ts'
import type { Authenticator, Denial } from '../../http/route.ts'
import type { ReadEvents, ReadSpans } from '../../traces/storing/received-span.ts'
import type { TraceSender } from '../create-named-components.ts'
import { decodeJson, decodeLogsJson } from './json/decode-json.ts'
import type { Encoding, Outcome, RejectedField } from './otlp-responses.ts'
import { decodeLogsProtobuf, decodeProtobuf } from './protobuf/decode-protobuf.ts'

/** Reads a batch and stores it. The outcome includes what the decoder rejects. */
type Ingest = (to: { workspaceId: string; sender: TraceSender }, read: ReadSpans) => Promise<Outcome>

/** As `Ingest`, for the GenAI events among log records. */
type IngestEvents = (principal: TraceSender, read: ReadEvents) => Promise<Outcome & { ignoredCount: number }>

type SentBatch<Read> = { bytes: number; read: Read }

export type ReceiverLimits = {
  /** The limit of one request, after decompression. */
  bodyBytesMax: number
  /** Batches of one application that are being stored or waiting to be stored. */
  batchesMax: number
}

export const DEFAULT_LIMITS: ReceiverLimits = { bodyBytesMax: 20 << 20, batchesMax: 64 }

export type SenderOrigin = Pick<Denial, 'address' | 'requestId' | 'userAgent'>

export type Receiver = {
  limits: ReceiverLimits
  /** The address is that of the sender; failed attempts are counted per address. */
  authenticate(authorization: string | undefined, origin: SenderOrigin): Promise<TraceSender>
  /** Waits for the turn of a caller by gRPC; requests over HTTP have waited before. Returns the function that ends it. */
  enter(authorization: string, address: string): Promise<() => void>
  /** Reserves memory for a batch that is about to arrive. Throws 503 if the application has too many batches waiting. */
  admit(principal: TraceSender): BodyReservation
  /** The same for a batch of unknown size: waits for memory for the largest batch. */
  admitInTurn(principal: TraceSender, wait: Wait): Promise<BodyReservation>
  /** Reads and stores a batch when it is its turn. */
  store(principal: TraceSender, batch: SentBatch<ReadSpans>): Promise<Outcome>
  storeLogs(principal: TraceSender, batch: SentBatch<ReadEvents>): Promise<Outcome>
  /** Converts any error to the response for the sender. Logs errors of the server. */
  failure(error: unknown, requestId: string): AppError
}

export type ReceiverDeps = {
  authenticate: Receiver['authenticate']
  enter?: Receiver['enter']
  ingest: Ingest
  ingestEvents: IngestEvents
  log: Logger
  bodies: BodyBudget
  limits?: ReceiverLimits
}

/** Batches up to this size share a commit, because each commit waits for the disk and writes index pages that all of them change. */
const BYTES_AT_ONCE = 2 << 20
/** The maximum number of batches per commit, regardless of size. */
const BATCHES_AT_ONCE = 32
/** More of them take turns, because their decoded batches are in memory. */
const APPLICATIONS_AT_ONCE = 4

export function createReceiver(parts: ReceiverDeps): Receiver {
  const { authenticate, ingest, ingestEvents, log, bodies } = parts
  const given = parts.limits ?? DEFAULT_LIMITS
  const limits = { ...given, bodyBytesMax: Math.min(given.bodyBytesMax, bodies.bytesMax) }
  const turns = createTurns()
  const rejectTooMany = ({ workspaceId }: TraceSender) => {
    if (turns.countOf(workspaceId) >= limits.batchesMax) throw tooMany()
  }
  const inTurn = async <Result>(
    principal: TraceSender,
    bytes: number,
    store: () => Promise<Result>,
  ): Promise<Result> => {
    rejectTooMany(principal)
    const leave = await turns.enter(principal.workspaceId, bytes)
    try {
      return await store()
    } finally {
      leave()
    }
  }
  return {
    limits,
    authenticate,
    enter: parts.enter ?? (async () => () => {}),
    admit(principal) {
      rejectTooMany(principal)
      return bodies.open(principal.userId)
    },
    async admitInTurn(principal, wait) {
      rejectTooMany(principal)
      return bodies.openInTurn(principal.userId, limits.bodyBytesMax, wait)
    },
    store: (principal, { bytes, read }) =>
      inTurn(principal, bytes, () => ingest({ workspaceId: principal.workspaceId, sender: principal }, read)),
    async storeLogs(principal, { bytes, read }) {
      const { ignoredCount, ...outcome } = await inTurn(principal, bytes, () => ingestEvents(principal, read))
      // Not in the response: exporters would log the message as a warning for every batch of ordinary logs.
      if (ignoredCount > 0) log.debug({ ignoredCount }, 'log records that are no GenAI events were ignored')
      return outcome
    },
    failure(error, requestId) {
      const reported = toAppError(error)
      if (reported.cause !== undefined)
        log.error({ err: reported, cause: reported.cause, requestId }, 'telemetry was not stored')
      else if (reported.status >= 500) log.warn({ requestId }, reported.message)
      return reported
    },
  }
}

/**
 * The turns of applications. Each stores batches in the order of arrival: as many as share a commit, or one that is larger. Of the large
 * ones only one is in memory at a time, and does not delay the others of other applications.
 */
function createTurns() {
  const waiting = new TurnQueue<{ bytes: number; begin(): void }>()
  const running = new Map<string, { count: number; bytes: number }>()
  let largeCount = 0
  const isLarge = (bytes: number) => bytes > BYTES_AT_ONCE
  const mayStart = (application: string, { bytes }: { bytes: number }) => {
    const own = running.get(application)
    if (own) return own.count < BATCHES_AT_ONCE && own.bytes + bytes <= BYTES_AT_ONCE
    return isLarge(bytes) ? largeCount === 0 : running.size - largeCount < APPLICATIONS_AT_ONCE
  }
  const add = (application: string, count: 1 | -1, bytes: number) => {
    const own = running.get(application) ?? { count: 0, bytes: 0 }
    if (own.count + count === 0) running.delete(application)
    else running.set(application, { count: own.count + count, bytes: own.bytes + count * bytes })
    if (isLarge(bytes)) largeCount += count
  }
  const advance = () => {
    for (let next = waiting.take(mayStart); next; next = waiting.take(mayStart)) next.begin()
  }
  return {
    /** Those that wait and those that run. */
    countOf: (application: string) => waiting.countOf(application) + (running.get(application)?.count ?? 0),
    /** Resolves when it is the turn of these bytes, with the function that ends it. */
    enter: (application: string, bytes: number) =>
      new Promise<() => void>((resolve) => {
        const leave = () => {
          add(application, -1, bytes)
          advance()
        }
        const begin = () => {
          // Counted immediately and not when the promise resolves: the next one in the queue must see it.
          add(application, 1, bytes)
          resolve(leave)
        }
        waiting.push(application, { bytes, begin })
        advance()
      }),
  }
}

function tooMany(): AppError {
  return unavailable('More traces are arriving than can be stored at this moment; send these again later')
}

function toAppError(error: unknown): AppError {
  // 429 would make exporters retry soon and until the quota resets, which blocks all other batches.
  if (error instanceof QuotaError) return new AppError(403, error.message)
  return error instanceof AppError && (error.status < 500 || error.status === 503) ? error : toServerError(error)
}

function toServerError(error: unknown): AppError {
  if (isPermanent(error)) {
    const message = 'The batch cannot be stored as it is; sending it again will not help'
    return new AppError(400, message, { cause: error })
  }
  return unavailable('The batch could not be stored at this moment; send it again later', error)
}

/**
 * Whether the same batch would fail again: a value does not fit the database (SQLSTATE class 22, or the equivalent code of the embedded
 * database), or our code threw a TypeError or a RangeError. A system error has its own code and may be transient.
 */
function isPermanent(error: unknown): boolean {
  if (/^22|^[A-Z]+_(MISMATCH|RANGE|TOOBIG)$/.test(codeOf(error))) return true
  return (error instanceof RangeError || error instanceof TypeError) && codeOf(error) === ''
}

/** API keys only, because traces come from programs. A user session is not accepted, neither as a cookie nor as a token. */
export function keyAuthentication(
  authenticator: Pick<Authenticator, 'identify'>,
  onDenied: (denial: Denial) => void,
): Receiver['authenticate'] {
  const access = { auth: 'key-or-session', workspace: 'header', role: 'editor', basic: 'password-is-key' } as const
  const target = 'POST /v1/traces'
  return async (authorization, origin) => {
    const caller = await authenticator
      .identify(access, { authorization, cookie: undefined, applicationId: undefined, address: origin.address })
      .catch((error: unknown) => {
        if (!(error instanceof AppError)) throw error
        onDenied({ error, caller: undefined, target, authorization, ...origin })
        // The error for a session would ask for the workspace header, which does not help here.
        throw error.status === 401 ? unauthorized() : error
      })
    if (caller.kind !== 'api-key' || !('workspaceId' in caller)) throw unauthorized()
    return { ...caller, requestId: origin.requestId, address: origin.address }
  }
}

type Stores = Pick<Receiver, 'store' | 'storeLogs'>

export type Signal = {
  /** The last segment of its HTTP path. */
  name: 'traces' | 'logs' | 'metrics'
  /** The path of its gRPC method. */
  grpcPath: string
  rejectedField: RejectedField
  receive(stores: Stores, principal: TraceSender, sent: SentBytes): Promise<Outcome>
}

type SentBytes = { bytes: Buffer; format: Encoding['format'] }

export const ALL_ACCEPTED: Outcome = { rejectedCount: 0, problems: [] }

/** Traces and the GenAI events of logs are stored, metrics are accepted and ignored. */
export const SIGNALS: readonly Signal[] = [
  {
    name: 'traces',
    grpcPath: '/opentelemetry.proto.collector.trace.v1.TraceService/Export',
    rejectedField: 'rejectedSpans',
    receive: ({ store }, principal, { bytes, format }) =>
      store(principal, {
        bytes: bytes.length,
        read: (keep) => (format === 'protobuf' ? decodeProtobuf(bytes, keep) : decodeJson(bytes, keep)),
      }),
  },
  {
    name: 'logs',
    grpcPath: '/opentelemetry.proto.collector.logs.v1.LogsService/Export',
    rejectedField: 'rejectedLogRecords',
    receive: ({ storeLogs }, principal, { bytes, format }) =>
      storeLogs(principal, {
        bytes: bytes.length,
        read: (keep) => (format === 'protobuf' ? decodeLogsProtobuf(bytes, keep) : decodeLogsJson(bytes, keep)),
      }),
  },
  {
    name: 'metrics',
    grpcPath: '/opentelemetry.proto.collector.metrics.v1.MetricsService/Export',
    rejectedField: 'rejectedDataPoints',
    // Metrics are not decoded. If they were rejected, an exporter with one endpoint for all signals would report an error every interval.
    receive: async () => ALL_ACCEPTED,
  },
]
