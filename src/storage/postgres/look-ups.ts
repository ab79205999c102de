import pg from 'pg'
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

  constructor(config: pg.ClientConfig, onLost: (error: Error) => void) {
    this.#config = config
    this.#onLost = onLost
  }

  async run<Row extends pg.QueryResultRow>(lookUp: LookUp): Promise<Row[]> {
    const connection = this.#leastBusy()
    connection.waiting += 1
    try {
      await connection.opened
      return (await connection.client.query<Row>(lookUp)).rows
    } catch (error) {
      // The server says so a moment before it closes the connection.
      if (isConnectionLost(error)) this.#connections.delete(connection)
      throw explain(error)
    } finally {
      connection.waiting -= 1
    }
  }

  async close(): Promise<void> {
    await Promise.allSettled([...this.#connections].map(({ client }) => client.end()))
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
    client.on('error', (error) => {
      forget()
      this.#onLost(error)
    })
    return connection
  }
}
