/** The official client, connected to the server of a test, and results as tests read them. */
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { expect, onTestFinished } from 'vitest'

/** Revisions of the protocol: the newest is negotiated without a handshake, the others are agreed on in one. */
export const REVISIONS = ['2026-07-28', '2025-11-25', '2025-06-18', '2025-03-26'] as const
export type Revision = (typeof REVISIONS)[number]

export type Agent = {
  client: Client
  /** Structured content of a call that must succeed. */
  call(name: string, args?: Record<string, unknown>): Promise<Structured>
  /** The text and the length of a whole result, which must not be an error. */
  read(name: string, args?: Record<string, unknown>): Promise<{ text: string; length: number; structured: Structured }>
  /** The message of a call that must fail. */
  fail(name: string, args?: Record<string, unknown>): Promise<string>
}

type Structured = Record<string, unknown> & { rows: Record<string, unknown>[]; nextCursor?: string }

export function clientOf(revision: Revision): Client {
  const isModern = revision === '2026-07-28'
  return new Client(
    { name: 'test', version: '1' },
    isModern
      ? { versionNegotiation: { mode: { pin: revision } } }
      : { supportedProtocolVersions: [revision], versionNegotiation: { mode: 'legacy' } },
  )
}

/** Closed at the end of the test. */
export async function connectAgent(
  url: string,
  key: string,
  { revision = '2026-07-28', headers = {} }: { revision?: Revision; headers?: Record<string, string> } = {},
): Promise<Agent> {
  const client = clientOf(revision)
  const requestInit = { headers: { authorization: `Bearer ${key}`, ...headers } }
  await client.connect(new StreamableHTTPClientTransport(new URL('/mcp', url), { requestInit }))
  onTestFinished(() => client.close())
  return agentOf(client)
}

export function agentOf(client: Client): Agent {
  const send = async (name: string, args: Record<string, unknown>) => {
    const result = await client.callTool({ name, arguments: args })
    const [block] = result.content
    if (result.content.length !== 1 || block?.type !== 'text') throw new Error('a result has one text')
    return { result, text: block.text, length: JSON.stringify(result).length }
  }
  const read: Agent['read'] = async (name, args = {}) => {
    const { result, text, length } = await send(name, args)
    expect(result.isError, text).not.toBe(true)
    const given = Object(result.structuredContent)
    return { text, length, structured: { ...given, rows: given.rows ?? [] } }
  }
  return {
    client,
    read,
    call: async (name, args) => (await read(name, args)).structured,
    async fail(name, args = {}) {
      const { result, text } = await send(name, args)
      expect(result.isError, text).toBe(true)
      expect(result.structuredContent).toBeUndefined()
      return text
    },
  }
}
