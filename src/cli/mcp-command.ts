import { AppError } from '../base/errors.ts'
import type { Config } from '../config.ts'
import { runMcpBridge } from './mcp-bridge.ts'

/** Standard output carries messages of the protocol and nothing else. */
export async function runMcp({ serverUrl, publicUrl, apiKey }: Config): Promise<number> {
  if (apiKey === undefined) {
    throw new AppError(500, 'Set TOUCHSTONE_API_KEY to a key of the server. `npm start -- api-key create` creates one')
  }
  const { stdin: input, stdout: output } = process
  await runMcpBridge({ url: serverUrl ?? publicUrl, apiKey, input, output })
  return 0
}
