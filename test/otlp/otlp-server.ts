/** The two doors for traces on a server of their own, with a store that a test holds in its hand. */
import type { AddressInfo } from 'node:net'
import { createBodyBudget } from '../../src/base/body-budget.ts'
import { unauthorized } from '../../src/base/errors.ts'
import { idGenerator } from '../../src/base/ids.ts'
import { createLogger } from '../../src/base/log.ts'
import { createServer } from '../../src/http/server.ts'
import type { TraceSender } from '../../src/ingestion/create-named-components.ts'
import { startGrpcServer } from '../../src/ingestion/otlp/grpc-server.ts'
import { otlpMounts } from '../../src/ingestion/otlp/otlp-mounts.ts'
import type { Outcome } from '../../src/ingestion/otlp/otlp-responses.ts'
import {
  createReceiver,
  DEFAULT_LIMITS,
  type Receiver,
  type ReceiverLimits,
} from '../../src/ingestion/otlp/receive-traces.ts'
import type { DbOutsideTransaction } from '../../src/storage/db.ts'
import type { ReceivedBatch, ReceivedSpanEvent } from '../../src/traces/storing/received-span.ts'
import { noConnectionLimits, noLimits } from '../harness/no-limits.ts'
import { whole } from './decoded.ts'

export const KEY = 'the-key-of-the-tests'
/** The lookup of this one fails. */
export const KEY_THAT_FAILS = 'a-key-that-cannot-be-looked-up'

export const PRINCIPAL: TraceSender = {
  requestId: 'r',
  address: '127.0.0.1',
  kind: 'api-key',
  credential: 'bearer',
  credentialId: 'k',
  userId: 'u',
  workspaceId: 'w',
  role: 'editor',
}

export type OtlpServer = {
  url: string
  grpcPort: number
  /** What reached the store. */
  stored: ReceivedBatch[]
  storedEvents: ReceivedSpanEvent[]
  /** What the store does with a batch; taking all of it unless a test says otherwise. */
  store(principal: TraceSender, batch: ReceivedBatch): Promise<Outcome>
  close(): Promise<void>
}

type OtlpServerOptions = Partial<ReceiverLimits> & {
  bodyBytesInFlightMax?: number
  silentMs?: number
  /** When calls over gRPC may be served. */
  opened?: Promise<void>
  enter?: Receiver['enter']
}

export async function startOtlpServer(given: OtlpServerOptions = {}): Promise<OtlpServer> {
  const {
    bodyBytesInFlightMax: bytesMax = 64 << 20,
    silentMs = 60_000,
    opened = Promise.resolve(),
    enter,
    ...limits
  } = given
  const clock = { now: () => 0 }
  const newId = idGenerator(clock)
  const log = createLogger('silent')
  const stored: ReceivedBatch[] = []
  const storedEvents: ReceivedSpanEvent[] = []
  const receiver = createReceiver({
    ...(enter ? { enter } : {}),
    authenticate: async (authorization) => {
      if (authorization === `Bearer ${KEY_THAT_FAILS}`) throw new Error('the database is gone')
      if (authorization !== `Bearer ${KEY}`) throw unauthorized()
      return PRINCIPAL
    },
    ingest: async ({ sender }, read) => {
      const batch = await read(whole)
      if (batch.spans.length > 0) stored.push(batch)
      return running.store(sender, batch)
    },
    ingestEvents: async (_principal, read) => {
      const batch = await read((event) => event)
      storedEvents.push(...batch.events)
      return batch
    },
    log,
    bodies: createBodyBudget({ bytesMax, silentMs }),
    limits: { ...DEFAULT_LIMITS, ...limits },
  })
  const server = createServer({
    routes: [],
    mounts: otlpMounts(receiver),
    authenticator: { recognize: () => undefined, identify: unused, authorize: unused, requireRole: unused },
    onDenied: unused,
    withIdempotency: unused,
    context: { db: UNUSED_DB, clock },
    newId,
    log,
    isAllowedHost: (host) => !host.startsWith('evil.test'),
    isTrustedProxy: () => false,
    publicUrl: 'http://localhost',
    bodyBytesMax: 1_024,
    requestTimeoutMs: 30_000,
    ...noLimits(),
    fallback: async () => undefined,
  })
  await server.listen({ host: '127.0.0.1', port: 0 })
  const grpcLimits = { requestTimeoutMs: 30_000, closeGraceMs: 30_000, connections: noConnectionLimits() }
  const grpc = await startGrpcServer({
    host: '127.0.0.1',
    port: 0,
    receiver,
    newId,
    log,
    opened,
    ...grpcLimits,
  })
  const address: AddressInfo | string | null = server.server.address()
  const running: OtlpServer = {
    url: `http://127.0.0.1:${Object(address).port}`,
    grpcPort: grpc.port,
    stored,
    storedEvents,
    store: async (_principal, { rejectedCount, problems }) => ({ rejectedCount, problems }),
    async close() {
      await Promise.all([server.close(), grpc.close()])
    },
  }
  return running
}

function unused(): never {
  throw new Error('traces need nothing of this')
}

const UNUSED_DB: DbOutsideTransaction = {
  inTransaction: false,
  get read() {
    return unused()
  },
  bulk: unused,
  inReadWorker: unused,
  search: unused,
  transaction: unused,
}
