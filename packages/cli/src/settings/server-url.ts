import { CliError } from '../cli-error.ts'
import { EXIT } from '../exit-code-values.ts'

export const DEFAULT_URL = 'http://127.0.0.1:3000'

/** The address of a server without the path of the API, in one spelling: keys are stored under it. */
export function readServerUrl(address: string, source: string): string {
  const url = URL.canParse(address) ? new URL(address) : undefined
  if (!url || !/^https?:$/.test(url.protocol)) {
    throw new CliError(
      `The address of the server (${source}) must be such as https://touchstone.example.com.`,
      EXIT.usage,
    )
  }
  if (url.username || url.password) {
    throw new CliError(`The address of the server (${source}) must not contain a user name or a password.`, EXIT.usage)
  }
  return `${url.origin}${url.pathname}`.replace(/\/+$/, '').replace(/\/api\/v1$/, '')
}
