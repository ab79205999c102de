/**
 * The path of telemetry into the server, for every protocol: authentication (401, 403), admission (503), and storing decoded batches. The
 * transports (`otlp-mounts.ts`, `grpc-server.ts`) differ only in how bytes arrive.
 *
 * Exporters retry after 429, 502, 503 and 504, and drop the batch after any other error. So every transient error of the server is 503,
 * including errors that are 500 elsewhere, and a batch is stored completely or not at all. A batch that can never be stored is 400:
 * otherwise the exporter would retry it forever and block the batches behind it.
 */
import type { BodyBudget, BodyReservation, Wait } from '../../base/body-budget.ts'
import { AppError, codeOf, QuotaError, unauthorized, unavailable } from '../../base/errors.ts'
import type { Logger } from '../../base/log.ts'
import type { Principal } from '../../base/principal.ts'
import type { Authenticator, Denial } from '../../http/route.ts'
import type { ReadEvents, ReadSpans } from '../../traces/storing/received-span.ts'
import { decodeJson, decodeLogsJson } from './json/decode-json.ts'
import type { Encoding, Outcome, RejectedField } from './otlp-responses.ts'
import { decodeLogsProtobuf, decodeProtobuf } from './protobuf/decode-protobuf.ts'

/** Reads a batch and stores it. The outcome includes what the decoder rejects. */
type Ingest = (principal: Principal, read: ReadSpans) => Promise<Outcome>

/** As `Ingest`, for the GenAI events among log records. */
type IngestEvents = (principal: Principal, read: ReadEvents) => Promise<Outcome & { ignoredCount: number }>

type SentBatch<Read> = { bytes: number; read: Read }

export type ReceiverLimits = {
  /** The limit of one request, after decompression. */
  bodyBytesMax: number
  /** Batches that are being stored or waiting to be stored. */
  batchesMax: number
}

export const DEFAULT_LIMITS: ReceiverLimits = { bodyBytesMax: 20 << 20, batchesMax: 64 }

export type SenderOrigin = Pick<Denial, 'address' | 'requestId' | 'userAgent'>

export type Receiver = {
  limits: ReceiverLimits
  /** The address is that of the sender; failed attempts are counted per address. */
  authenticate(authorization: string | undefined, origin: SenderOrigin): Promise<Principal>
  /** Reserves memory for a batch that is about to arrive. Throws 503 if the maximum number of batches is waiting. */
  admit(principal: Principal): BodyReservation
  /** The same for a batch of unknown size: waits for memory for the largest batch. */
  admitInTurn(principal: Principal, wait: Wait): Promise<BodyReservation>
  /** Reads and stores a batch when it is its turn. */
  store(principal: Principal, batch: SentBatch<ReadSpans>): Promise<Outcome>
  storeLogs(principal: Principal, batch: SentBatch<ReadEvents>): Promise<Outcome>
  /** Converts any error to the response for the sender. Logs errors of the server. */
  failure(error: unknown, requestId: string): AppError
}

export type ReceiverDeps = {
  authenticate: Receiver['authenticate']
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

export function createReceiver(parts: ReceiverDeps): Receiver {
  const { authenticate, ingest, ingestEvents, log, bodies } = parts
  const given = parts.limits ?? DEFAULT_LIMITS
  const limits = { ...given, bodyBytesMax: Math.min(given.bodyBytesMax, bodies.bytesMax) }
  const inTurn = createTurns({ weight: BYTES_AT_ONCE, count: BATCHES_AT_ONCE })
  let batchCount = 0
  const rejectTooMany = () => {
    if (batchCount >= limits.batchesMax) throw tooMany()
  }
  const counted = async <Result>(store: () => Promise<Result>): Promise<Result> => {
    rejectTooMany()
    batchCount += 1
    try {
      return await store()
    } finally {
      batchCount -= 1
    }
  }
  return {
    limits,
    authenticate,
    admit(principal) {
      rejectTooMany()
      return bodies.open(principal.userId)
    },
    async admitInTurn(principal, wait) {
      rejectTooMany()
      return bodies.openInTurn(principal.userId, limits.bodyBytesMax, wait)
    },
    store: (principal, { bytes, read }) => counted(() => inTurn(bytes, () => ingest(principal, read))),
    async storeLogs(principal, { bytes, read }) {
      const { ignoredCount, ...outcome } = await counted(() => inTurn(bytes, () => ingestEvents(principal, read)))
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

type Turns = <Result>(weight: number, work: () => Promise<Result>) => Promise<Result>

/** Runs tasks concurrently up to a total weight, or a single task that exceeds it. The others run in order of arrival. */
function createTurns(max: { weight: number; count: number }): Turns {
  const waiting: { weight: number; begin(): void }[] = []
  let running = 0
  let weightRunning = 0
  const mayStart = (weight: number) => running === 0 || (running < max.count && weightRunning + weight <= max.weight)
  const enter = (weight: number) => {
    running += 1
    weightRunning += weight
  }
  const leave = (weight: number) => {
    running -= 1
    weightRunning -= weight
    for (let next = waiting[0]; next && mayStart(next.weight); next = waiting[0]) {
      waiting.shift()
      enter(next.weight)
      next.begin()
    }
  }
  return async (weight, work) => {
    if (waiting.length === 0 && mayStart(weight)) enter(weight)
    else await new Promise<void>((begin) => waiting.push({ weight, begin }))
    try {
      return await work()
    } finally {
      leave(weight)
    }
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
    return caller
  }
}

type Stores = Pick<Receiver, 'store' | 'storeLogs'>

export type Signal = {
  /** The last segment of its HTTP path. */
  name: 'traces' | 'logs' | 'metrics'
  /** The path of its gRPC method. */
  grpcPath: string
  rejectedField: RejectedField
  receive(stores: Stores, principal: Principal, sent: SentBytes): Promise<Outcome>
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
