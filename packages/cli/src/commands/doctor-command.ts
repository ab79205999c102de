import type { CliContext, CommonFlags } from '../cli-context.ts'
import { cliVersion } from '../cli-version.ts'
import { EXIT } from '../exit-code-values.ts'
import { type OpenedSettings, openSettings } from '../open-settings.ts'
import { escapeLine, printableJson } from '../output/escape-text.ts'
import { sendRaw } from '../raw-request.ts'

const SKEW_SECONDS_MAX = 60
const TIMEOUT_MS = 10_000
const WRITING_ROLES = ['editor', 'admin', 'owner']

interface Check {
  name: string
  state: 'ok' | 'warning' | 'failed' | 'skipped'
  found: string
  /** What to do, if it is not ok. */
  advice?: string
}

/** Checks what requests depend on, one after the other. The exit code is that of the first check that failed. */
export async function runDoctor(this: CliContext, flags: CommonFlags): Promise<void> {
  const opened = await openSettings(this, flags)
  const { settings, project } = opened
  const checks: Check[] = [
    { name: 'address', state: 'ok', found: `${settings.url} (${settings.urlSource})` },
    { name: 'project', state: 'ok', found: project?.path ?? 'no touchstone.yaml' },
  ]
  const reached = await checkServer(this, opened)
  checks.push(...reached.checks)
  const key = reached.isReached ? await checkKey(this, opened) : skipped('key', 'the server is not reachable')
  checks.push(key)
  checks.push(key.state === 'ok' ? await checkOtlp(this, opened) : skipped('otlp', 'there is no valid key'))
  print(this, flags, checks)
  const failed = checks.find(({ state }) => state === 'failed')
  if (failed) this.exitCode = failed.name === 'key' ? EXIT.authentication : EXIT.unavailable
}

async function checkServer(
  context: CliContext,
  opened: OpenedSettings,
): Promise<{ checks: Check[]; isReached: boolean }> {
  const startedAt = Date.now()
  const response = await tryRequest(context, opened, { method: 'GET', path: '/api/v1/instance' })
  if (typeof response === 'string') {
    const advice =
      'Is the server running, and is the address right? Set TOUCHSTONE_URL, or pass --url. A proxy or firewall may be in between.'
    return { checks: [{ name: 'server', state: 'failed', found: response, advice }], isReached: false }
  }
  const body: unknown = await response.json().catch(() => undefined)
  const version = typeof body === 'object' && body !== null && 'version' in body ? String(body.version) : undefined
  if (!response.ok || version === undefined) {
    const advice = 'Something else responds at this address. Use the address that the server prints when it starts.'
    return {
      checks: [{ name: 'server', state: 'failed', found: `status ${response.status}, but no Touchstone`, advice }],
      isReached: false,
    }
  }
  const checks = [checkVersion(version), checkClock(response, (startedAt + Date.now()) / 2)]
  return { checks: [{ name: 'server', state: 'ok', found: 'reachable' }, ...checks], isReached: true }
}

function checkVersion(version: string): Check {
  const found = `server ${version}, command line ${cliVersion()}`
  const major = (text: string) =>
    text
      .split('.')
      .slice(0, text.startsWith('0.') ? 2 : 1)
      .join('.')
  if (major(version) === major(cliVersion())) return { name: 'version', state: 'ok', found }
  return {
    name: 'version',
    state: 'warning',
    found,
    advice: `Install touchstone-cli ${major(version)}, or upgrade the server.`,
  }
}

/** The server and this machine compare times of traces and of keys. */
function checkClock(response: Response, nowMs: number): Check {
  const date = Date.parse(response.headers.get('date') ?? '')
  if (Number.isNaN(date)) return skipped('clock', 'the server sends no date')
  const seconds = Math.round((nowMs - date) / 1000)
  if (Math.abs(seconds) <= SKEW_SECONDS_MAX)
    return { name: 'clock', state: 'ok', found: `differs by ${Math.abs(seconds)} s` }
  const found = `${Math.abs(seconds)} s ${seconds > 0 ? 'ahead of' : 'behind'} the server`
  return {
    name: 'clock',
    state: 'warning',
    found,
    advice: 'Synchronize the clock (NTP): traces would appear at the wrong time.',
  }
}

async function checkKey(context: CliContext, opened: OpenedSettings): Promise<Check> {
  const { apiKey, keySource, stored } = opened.settings
  if (!apiKey)
    return { name: 'key', state: 'failed', found: 'none', advice: 'Run touchstone login, or set TOUCHSTONE_API_KEY.' }
  const response = await tryRequest(context, opened, { method: 'GET', path: '/api/v1/me', apiKey })
  if (typeof response === 'string') return { name: 'key', state: 'failed', found: response, advice: 'Try again.' }
  if (!response.ok) {
    const expired = stored?.expiresAt && Date.parse(stored.expiresAt) < Date.now() ? ', expired' : ''
    const advice = 'It is wrong, revoked or of another server. Run touchstone login for a new one.'
    return {
      name: 'key',
      state: 'failed',
      found: `rejected with status ${response.status} (${keySource}${expired})`,
      advice,
    }
  }
  const { role }: { role?: string } = Object(await response.json())
  return { name: 'key', state: 'ok', found: `valid, role ${role} (${keySource})` }
}

/** An export without spans: it is authorized as any other, and stores nothing. */
async function checkOtlp(context: CliContext, opened: OpenedSettings): Promise<Check> {
  const { apiKey, url } = opened.settings
  const request = { method: 'POST', path: '/v1/traces', body: '{"resourceSpans":[]}', ...(apiKey && { apiKey }) }
  const response = await tryRequest(context, opened, request)
  if (typeof response === 'string')
    return { name: 'otlp', state: 'failed', found: response, advice: 'Does a proxy pass /v1/traces on?' }
  if (response.ok) return { name: 'otlp', state: 'ok', found: `${url}/v1/traces accepts traces` }
  const isRole = response.status === 403
  const advice = isRole
    ? `Sending traces needs one of the roles ${WRITING_ROLES.join(', ')}.`
    : 'Does a proxy pass /v1/traces on?'
  return { name: 'otlp', state: isRole ? 'warning' : 'failed', found: `status ${response.status}`, advice }
}

type CheckRequest = { method: string; path: string; apiKey?: string; body?: string }

/** The response, or why there is none. */
async function tryRequest(
  context: CliContext,
  opened: OpenedSettings,
  request: CheckRequest,
): Promise<Response | string> {
  const limit = AbortSignal.timeout(TIMEOUT_MS)
  try {
    return await sendRaw(opened, { ...request, signal: AbortSignal.any([limit, context.signal]) })
  } catch (error) {
    context.signal.throwIfAborted()
    if (limit.aborted) return `no response within ${TIMEOUT_MS / 1000} s`
    return error instanceof Error ? error.message : String(error)
  }
}

function skipped(name: string, reason: string): Check {
  return { name, state: 'skipped', found: `not checked: ${reason}` }
}

const COLORS = { ok: 'green', warning: 'yellow', failed: 'red', skipped: 'dim' } as const

function print({ terminal }: CliContext, { json }: CommonFlags, checks: Check[]): void {
  if (json) {
    terminal.data(`${printableJson(checks)}\n`)
    return
  }
  for (const { name, state, found, advice } of checks) {
    terminal.data(`${terminal.paint(COLORS[state], state.padEnd(8))}${name.padEnd(9)}${escapeLine(found)}\n`)
    if (advice) terminal.data(`${' '.repeat(17)}${escapeLine(advice)}\n`)
  }
}
