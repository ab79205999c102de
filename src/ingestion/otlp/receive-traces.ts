/**
 * The way of telemetry into the program, whichever protocol brought it: who sends (401, 403), whether there is room (503),
 * and what becomes of a decoded batch. The doors (`otlp-mounts.ts`, `grpc-server.ts`) differ only in how bytes arrive.
 *
 * Exporters send again what was answered 429, 502, 503 or 504 and drop what was answered anything else. So every trouble
 * of our own that may pass is 503, also that which would be 500 elsewhere; and a batch is stored whole or not at all. A batch that
 * we cannot store however often it comes is 400: it would be sent for ever, and keep what stands behind it from being sent.
 */
import type { BodyBudget, BodyRoom, Wait } from '../../base/body-budget.ts'
import { AppError, codeOf, QuotaError, unauthorized, unavailable } from '../../base/errors.ts'
import type { Logger } from '../../base/log.ts'
import type { Principal } from '../../base/principal.ts'
import type { Authenticator, Denial } from '../../http/route.ts'
import type { ReadEvents, ReadSpans } from '../../traces/storing/received-span.ts'
import type { Outcome } from './otlp-responses.ts'

/** Reads a batch and stores it. What it answers includes what the decoder refuses. */
type Ingest = (principal: Principal, read: ReadSpans) => Promise<Outcome>

/** As `Ingest`, for the GenAI events among log records. */
type IngestEvents = (principal: Principal, read: ReadEvents) => Promise<Outcome & { ignoredCount: number }>

type SentBatch<Read> = { bytes: number; read: Read }

export type ReceiverLimits = {
  /** Of one request, after it is unpacked. */
  bodyBytesMax: number
  /** Batches that have arrived and are waiting to be stored, or are being stored. */
  batchesMax: number
}

export const DEFAULT_LIMITS: ReceiverLimits = { bodyBytesMax: 20 << 20, batchesMax: 64 }

export type Receiver = {
  limits: ReceiverLimits
  /** The address is where the sender is: failed attempts are counted by it. */
  authenticate(authorization: string | undefined, origin: { address: string; requestId: string }): Promise<Principal>
  /** Room for a batch that is about to arrive. Throws 503 if as many have arrived as can be stored. */
  admit(principal: Principal): BodyRoom
  /** The same for a batch whose size is not known before it has arrived: waits for room for the largest. */
  admitInTurn(principal: Principal, wait: Wait): Promise<BodyRoom>
  /** Reads a batch and stores it, when it is its turn. */
  store(principal: Principal, batch: SentBatch<ReadSpans>): Promise<Outcome>
  storeLogs(principal: Principal, batch: SentBatch<ReadEvents>): Promise<Outcome>
  /** What the sender is told about any failure; logs it if it is ours. */
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

/** So much shares a commit, which waits for the disk and writes the pages of indexes that all of them change. */
const BYTES_AT_ONCE = 2 << 20
/** However small they are. */
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
      // Not in the response: exporters report its message as a warning, and would do so with every batch of ordinary logs.
      if (ignoredCount > 0) log.debug({ ignoredCount }, 'log records that are no GenAI events were ignored')
      return outcome
    },
    failure(error, requestId) {
      const told = toldOf(error)
      if (told.cause !== undefined) log.error({ err: told, cause: told.cause, requestId }, 'telemetry was not stored')
      else if (told.status >= 500) log.warn({ requestId }, told.message)
      return told
    },
  }
}

type Turns = <Result>(weight: number, work: () => Promise<Result>) => Promise<Result>

/** Lets pieces of work run at a time up to a weight, or one that alone is heavier; the others after them as they came. */
function createTurns(max: { weight: number; count: number }): Turns {
  const waiting: { weight: number; begin(): void }[] = []
  let running = 0
  let weightRunning = 0
  const hasRoom = (weight: number) => running === 0 || (running < max.count && weightRunning + weight <= max.weight)
  const enter = (weight: number) => {
    running += 1
    weightRunning += weight
  }
  const leave = (weight: number) => {
    running -= 1
    weightRunning -= weight
    for (let next = waiting[0]; next && hasRoom(next.weight); next = waiting[0]) {
      waiting.shift()
      enter(next.weight)
      next.begin()
    }
  }
  return async (weight, work) => {
    if (waiting.length === 0 && hasRoom(weight)) enter(weight)
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

function toldOf(error: unknown): AppError {
  // 429 asks exporters to send the same again, soon: they would do so until the quota resets, and keep everything else waiting.
  if (error instanceof QuotaError) return new AppError(403, error.message)
  return error instanceof AppError && (error.status < 500 || error.status === 503) ? error : ours(error)
}

function ours(error: unknown): AppError {
  if (isOfTheData(error)) {
    const message = 'The batch cannot be stored as it is; sending it again will not help'
    return new AppError(400, message, { cause: error })
  }
  return unavailable('The batch could not be stored at this moment; send it again later', error)
}

/**
 * Whether the same batch would fail again: the database says that a value does not fit (SQLSTATE class 22, or what the embedded
 * engine calls the same), or our own code stumbled over it. A system error has a code of its own and may pass.
 */
function isOfTheData(error: unknown): boolean {
  if (/^22|^[A-Z]+_(MISMATCH|RANGE|TOOBIG)$/.test(codeOf(error))) return true
  return (error instanceof RangeError || error instanceof TypeError) && codeOf(error) === ''
}

/** API keys only: traces come from programs. A person's session is not a key, whether in a cookie or as a token. */
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
        // A session lacks the header that names its workspace; to say so would be wrong help here.
        throw error.status === 401 ? unauthorized() : error
      })
    if (caller.kind !== 'api-key' || !('workspaceId' in caller)) throw unauthorized()
    return caller
  }
}
