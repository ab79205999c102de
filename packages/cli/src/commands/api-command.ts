import type { CliContext, CommonFlags } from '../cli-context.ts'
import { CliError } from '../cli-error.ts'
import { EXIT } from '../exit-code-values.ts'
import { openSettings } from '../open-settings.ts'
import { escapeLines } from '../output/escape-text.ts'
import { errorOf, sendRaw } from '../raw-request.ts'
import { readInput } from '../read-input.ts'
import { requireKey } from '../settings/resolve-settings.ts'

interface ApiFlags extends CommonFlags {
  input?: string
  contentType?: string
}

/** Sends any request of the API and prints the body of the response as it is. */
export async function sendApiRequest(this: CliContext, flags: ApiFlags, method: string, path: string): Promise<void> {
  if (!/^[A-Za-z]+$/.test(method)) throw new CliError(`"${method}" is not a method such as GET or POST.`, EXIT.usage)
  if (!path.startsWith('/')) {
    throw new CliError(
      'The path must begin with /, for example /components. The address of the server is not part of it.',
      EXIT.usage,
    )
  }
  const opened = await openSettings(this, flags)
  const body = flags.input === undefined ? undefined : await readInput(this, flags.input)
  const response = await sendRaw(opened, {
    method: method.toUpperCase(),
    path: /^\/(api|v1|health|ready)(\/|$)/.test(path) ? path : `/api/v1${path}`,
    body,
    apiKey: requireKey(opened.settings),
    signal: this.signal,
    ...(flags.contentType !== undefined && { contentType: flags.contentType }),
  })
  if (!response.ok) throw await errorOf(response)
  for await (const piece of response.body ?? []) {
    this.terminal.data(this.terminal.isTerminal ? escapeLines(Buffer.from(piece).toString('utf8')) : piece)
  }
  // Files, such as CSV, stay byte for byte as they are.
  const isJson = response.headers.get('content-type')?.startsWith('application/json') === true
  if (this.terminal.isTerminal || isJson) this.terminal.data('\n')
}
