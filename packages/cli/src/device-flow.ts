/** Device authorization (RFC 8628): the user approves a code in a browser, and the program gets a key. */
import { setTimeout as delay } from 'node:timers/promises'
import { ConnectionError } from 'touchstone-sdk/client'
import { CliError } from './cli-error.ts'
import { EXIT } from './exit-code-values.ts'
import type { OpenedSettings } from './open-settings.ts'
import { errorOf, sendRaw } from './raw-request.ts'

const CLIENT_ID = 'touchstone-cli'
const GRANT_TYPE = 'urn:ietf:params:oauth:grant-type:device_code'
/** What `slow_down` adds to the pause, by the RFC. */
const SLOW_DOWN_SECONDS = 5
const FAILURES_MAX = 5

export interface DeviceCode {
  deviceCode: string
  userCode: string
  uri: string
  intervalSeconds: number
}

export interface GrantedKey {
  apiKey: string
  keyId?: string
  workspaceName?: string
  role?: string
  expiresAt?: string
}

export async function requestDeviceCode(
  opened: OpenedSettings,
  deviceName: string,
  signal: AbortSignal,
): Promise<DeviceCode> {
  const body = JSON.stringify({ client_id: CLIENT_ID, device_name: deviceName.slice(0, 100) })
  const response = await sendRaw(opened, { method: 'POST', path: '/api/auth/device/code', body, signal })
  if (response.status === 404) {
    throw new CliError(
      'This server has no login for command lines. Create an API key in its interface, and pass it to touchstone login --with-key.',
      EXIT.notFound,
    )
  }
  if (!response.ok) throw await errorOf(response)
  const fields = readFields(await response.json())
  const [deviceCode, userCode] = [fields['device_code'], fields['user_code']]
  const uri = fields['verification_uri_complete'] ?? fields['verification_uri']
  if (typeof deviceCode !== 'string' || typeof userCode !== 'string' || typeof uri !== 'string') {
    throw new CliError('The server responded with no device code.', EXIT.unavailable)
  }
  return { deviceCode, userCode, uri, intervalSeconds: Number(fields['interval'] ?? 5) }
}

/** Asks until the user has decided. The code stays valid if the connection fails for a moment, so that is only given up after a while. */
export async function waitForKey(
  opened: OpenedSettings,
  { deviceCode, intervalSeconds }: DeviceCode,
  { signal, sleep = pause }: { signal: AbortSignal; sleep?: typeof pause },
): Promise<GrantedKey> {
  const body = JSON.stringify({ grant_type: GRANT_TYPE, device_code: deviceCode, client_id: CLIENT_ID })
  let seconds = intervalSeconds
  let failures = 0
  while (true) {
    await sleep(seconds * 1000, signal)
    const response = await sendRaw(opened, { method: 'POST', path: '/api/auth/device/token', body, signal }).catch(
      (error: unknown) => {
        if (!(error instanceof ConnectionError) || ++failures >= FAILURES_MAX) throw error
      },
    )
    if (!response) continue
    failures = 0
    const fields = readFields(await response.json().catch(() => undefined))
    if (response.ok) return readKey(fields, Date.now())
    if (fields['error'] === 'slow_down') seconds += SLOW_DOWN_SECONDS
    else if (fields['error'] !== 'authorization_pending') throw rejection(fields['error'], response.status)
  }
}

const REJECTIONS: Record<string, string> = {
  access_denied: 'The login was denied.',
  expired_token: 'The code has expired. Run touchstone login again.',
  invalid_grant: 'The code is not valid any more. Run touchstone login again.',
}

function rejection(error: unknown, status: number): CliError {
  const code = status >= 500 || status === 429 ? EXIT.unavailable : EXIT.authentication
  return new CliError(REJECTIONS[String(error)] ?? `The server responded with status ${status}: ${error}`, code)
}

function readKey(fields: Record<string, unknown>, nowMs: number): GrantedKey {
  const { access_token: apiKey, key_id: keyId, workspace_name: workspaceName, role, expires_in: seconds } = fields
  if (typeof apiKey !== 'string') throw new CliError('The server responded with no key.', EXIT.unavailable)
  return {
    apiKey,
    ...(typeof keyId === 'string' && { keyId }),
    ...(typeof workspaceName === 'string' && { workspaceName }),
    ...(typeof role === 'string' && { role }),
    ...(typeof seconds === 'number' && { expiresAt: new Date(nowMs + seconds * 1000).toISOString() }),
  }
}

function readFields(value: unknown): Record<string, unknown> {
  return typeof value === 'object' && value !== null ? { ...value } : {}
}

function pause(ms: number, signal: AbortSignal): Promise<void> {
  return delay(ms, undefined, { signal })
}
