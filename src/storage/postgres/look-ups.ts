import pg from 'pg'
import { codeOf, unavailable } from '../../base/errors.ts'
import { explain, isConnectionLost } from './explain-error.ts'

/** Few, because sharing is what makes them cheap; more than one, because a slow look-up delays those behind it. */
const CONNECTIONS_MAX = 2

type Connection = { client: pg.Client; opened: Promise<unknown>; waiting: number }

type LookUp = { name?: string; text: string; values: unknown[] }

/**
 * Connections that look-ups share: each is sent without waiting for the results of those before it, and costs less than on a connection of
 * the pool. For short reads outside of transactions.
 */
export class LookUps {
  readonly #config: pg.ClientConfig
  readonly #onLost: (error: Error) => void
  readonly #connections = new Set<Connection>()
  #isClosed = false

  constructor(config: pg.ClientConfig, onLost: (error: Error) => void) {
    this.#config = config
    this.#onLost = onLost
  }

  async run<Row extends pg.QueryResultRow>(lookUp: LookUp, attempt: 'first' | 'second' = 'first'): Promise<Row[]> {
    // A connection opened after closing would keep the process from ending.
    if (this.#isClosed) throw unavailable('The connections to the database are closed; try again')
    const connection = this.#leastBusy()
    connection.waiting += 1
    try {
      await connection.opened
      return (await connection.client.query<Row>(lookUp)).rows
    } catch (error) {
      // The server says so a moment before it closes the connection.
      if (isConnectionLost(error)) this.#connections.delete(connection)
      if (!isStatementLost(error)) throw explain(error)
      if (this.#connections.delete(connection)) void connection.client.end()
      if (attempt === 'second') throw explain(error)
    } finally {
      connection.waiting -= 1
    }
    // Another connection prepares the statement again.
    return this.run(lookUp, 'second')
  }

  /** Finishes what has been sent. */
  async close(): Promise<void> {
    this.#isClosed = true
    const closing = [...this.#connections].map(async ({ client, opened }) => {
      // The driver never settles the opening of a connection that is closed meanwhile.
      await opened
      await client.end()
    })
    await Promise.allSettled(closing)
  }

  #leastBusy(): Connection {
    let least: Connection | undefined
    for (const connection of this.#connections) {
      if (!least || connection.waiting < least.waiting) least = connection
    }
    const isEnough = least?.waiting === 0 || this.#connections.size === CONNECTIONS_MAX
    return least && isEnough ? least : this.#open()
  }

  #open(): Connection {
    const client = new pg.Client({ ...this.#config, pipeline: true })
    const connection = { client, opened: client.connect(), waiting: 0 }
    this.#connections.add(connection)
    // The next look-up opens another one; those that wait for this one fail.
    const forget = () => this.#connections.delete(connection)
    connection.opened.catch(forget)
    client.on('end', forget)
    client.once('error', (error) => {
      forget()
      this.#onLost(error)
    })
    // The driver may report the same loss twice: the message of the server, then the closed socket.
    client.on('error', () => {})
    return connection
  }
}

/**
 * True if the server does not have the prepared statement, because preparing it failed for a look-up that was sent just before, or cannot
 * use it any more, because its table has changed.
 */
function isStatementLost(error: unknown): boolean {
  return ['26000', '0A000'].includes(codeOf(error))
}
