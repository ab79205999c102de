import { Readable } from 'node:stream'
import type { CliContext, CommonFlags } from '../cli-context.ts'
import { runMcpBridge } from '../mcp-bridge.ts'
import { openSettings } from '../open-settings.ts'
import { requireKey } from '../settings/resolve-settings.ts'

/** Standard output carries messages of the protocol and nothing else. */
export async function serveMcp(this: CliContext, flags: CommonFlags): Promise<void> {
  const { settings, send } = await openSettings(this, flags)
  const { stdin, terminal, signal } = this
  const apiKey = requireKey(settings)
  // A client that only signals leaves the input open, which would keep the process alive.
  signal.addEventListener('abort', () => stdin.destroy?.())
  const input = Readable.from(stdin, { objectMode: false })
  await runMcpBridge({ url: settings.url, apiKey, send, input, write: terminal.data })
}
