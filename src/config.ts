/** The only reader of the environment. Invalid settings fail at startup with an error message. */
import { readFileSync } from 'node:fs'
import { isIPv6 } from 'node:net'
import { mayBeApiKey } from './auth/api-keys/api-key-format.ts'
import { isInRanges, rangeOfAddress, rangesOf, readRange } from './base/address-ranges.ts'
import { AppError } from './base/errors.ts'
import type { LogLevel } from './base/log.ts'
import { readSignInConfig, SIGN_IN_NAMES, type SignInConfig } from './sign-in-config.ts'

export type Config = {
  host: string
  port: number
  databaseUrl: string
  adminEmail: string | undefined
  adminPassword: string | undefined
  apiKey: string | undefined
  isSignupOpen: boolean
  publicUrl: string
  allowedHosts: string[]
  /** Addresses and networks of proxies whose X-Forwarded-* headers are trusted. */
  trustedProxies: string[]
  logLevel: LogLevel
  /** Logs a line for each request. */
  isAccessLogOn: boolean
  /** Where metrics are served, always on a port of their own; undefined disables them. */
  metricsAddress: { host: string; port: number } | undefined
  bodyBytesMax: number
  requestTimeoutMs: number
  poolSizeMax: number
  statementTimeoutMs: number
  workerConcurrency: number
  /** Undefined disables traces over gRPC. */
  otlpGrpcPort: number | undefined
  /** If the port is in use, startup fails for a configured port. The default port may be used by a collector; then gRPC is disabled. */
  isOtlpGrpcPortGiven: boolean
  /** 32 bytes each, to encrypt stored secrets. The first encrypts; the others only decrypt. */
  secretKeys: readonly Buffer[]
  /** The file for a generated key if none is set: next to an embedded database. */
  secretKeyFile: string | undefined
  /** Allowed targets of model connections in addition to the public internet. */
  allowedEgress: string[]
  /** Targets that admins of all applications may allow while the server runs. */
  allowableEgress: string[]
  /** The model for evaluations that name no connection. */
  defaultModel: DefaultModel | undefined
  limits: LimitSettings
  quotas: QuotaSettings
} & SignInConfig

/** Limits per caller, or for all callers together. */
type LimitSettings = {
  connectionsMax: number
  connectionsPerAddressMax: number
  bodyBytesInFlightMax: number
  requestsPerSecond: number
  requestsBurst: number
  failedAuthenticationsPerSecond: number
  eventStreamsMax: number
  workspacesPerPersonMax: number
}

/** Per application. Undefined means no limit. */
type QuotaSettings = {
  spansPerDay: number | undefined
  storedBytes: number | undefined
  evaluationsPerDay: number | undefined
}

type DefaultModel = { baseUrl: string; apiKey: string | undefined; model: string | undefined }

type Environment = Record<string, string | undefined>

const LOG_LEVELS: readonly LogLevel[] = ['silent', 'error', 'warn', 'info', 'debug']

/** All names, so that unknown ones can be rejected. */
const OWN_NAMES = [
  'TOUCHSTONE_ADMIN_EMAIL',
  'TOUCHSTONE_ADMIN_PASSWORD',
  'TOUCHSTONE_API_KEY',
  'TOUCHSTONE_OPEN_SIGNUP',
  'TOUCHSTONE_PUBLIC_URL',
  'TOUCHSTONE_ALLOWED_HOSTS',
  'TOUCHSTONE_TRUSTED_PROXIES',
  'TOUCHSTONE_LOG_LEVEL',
  'TOUCHSTONE_ACCESS_LOG',
  'TOUCHSTONE_METRICS',
  'TOUCHSTONE_BODY_BYTES_MAX',
  'TOUCHSTONE_REQUEST_TIMEOUT_SECONDS',
  'TOUCHSTONE_POOL_SIZE',
  'TOUCHSTONE_STATEMENT_TIMEOUT_SECONDS',
  'TOUCHSTONE_WORKER_CONCURRENCY',
  'TOUCHSTONE_OTLP_GRPC_PORT',
  'TOUCHSTONE_SECRET_KEY',
  'TOUCHSTONE_ALLOWED_EGRESS',
  'TOUCHSTONE_ALLOWABLE_EGRESS',
  'TOUCHSTONE_DEFAULT_MODEL',
  'TOUCHSTONE_CONNECTIONS_MAX',
  'TOUCHSTONE_CONNECTIONS_PER_ADDRESS_MAX',
  'TOUCHSTONE_BODY_BYTES_IN_FLIGHT_MAX',
  'TOUCHSTONE_REQUESTS_PER_SECOND',
  'TOUCHSTONE_REQUESTS_BURST',
  'TOUCHSTONE_FAILED_AUTHENTICATIONS_PER_SECOND',
  'TOUCHSTONE_EVENT_STREAMS_MAX',
  'TOUCHSTONE_WORKSPACES_PER_PERSON_MAX',
  'TOUCHSTONE_QUOTA_SPANS_PER_DAY',
  'TOUCHSTONE_QUOTA_STORED_BYTES',
  'TOUCHSTONE_QUOTA_EVALUATIONS_PER_DAY',
  ...SIGN_IN_NAMES,
] as const

/** A setting of clients, which often run in the same shell as the server. */
const CLIENT_NAMES = ['TOUCHSTONE_URL']

/** All settings except those of the model provider, which have the names of its own tools. */
export const SETTINGS: readonly string[] = ['HOST', 'PORT', 'DATABASE_URL', ...OWN_NAMES]

export function readConfig(environment: Environment = process.env): Config {
  const settings = new Settings(environment)
  settings.rejectUnknown()
  const host = hostName(settings.text('HOST') ?? '127.0.0.1')
  const port = settings.integer('PORT', { min: 0, max: 65_535, otherwise: 3_000 })
  const adminEmail = settings.text('TOUCHSTONE_ADMIN_EMAIL')
  const adminPassword = settings.text('TOUCHSTONE_ADMIN_PASSWORD')
  if ((adminEmail === undefined) !== (adminPassword === undefined)) {
    throw wrong('TOUCHSTONE_ADMIN_EMAIL and TOUCHSTONE_ADMIN_PASSWORD must be set together')
  }
  const database = databaseUrl(settings.text('DATABASE_URL'))
  const signIn = readSignInConfig(settings)
  return {
    ...signIn,
    host,
    port,
    databaseUrl: database,
    adminEmail,
    adminPassword,
    apiKey: apiKey(settings.text('TOUCHSTONE_API_KEY')),
    isSignupOpen: settings.flag('TOUCHSTONE_OPEN_SIGNUP'),
    publicUrl: publicUrl(settings, addressOf(host, port, signIn.tls ? 'https' : 'http')),
    allowedHosts: settings.list('TOUCHSTONE_ALLOWED_HOSTS'),
    trustedProxies: trustedProxies(settings.list('TOUCHSTONE_TRUSTED_PROXIES')),
    logLevel: logLevel(settings.text('TOUCHSTONE_LOG_LEVEL')),
    isAccessLogOn: accessLog(settings.text('TOUCHSTONE_ACCESS_LOG')),
    metricsAddress: metricsAddress(settings.text('TOUCHSTONE_METRICS')),
    bodyBytesMax: settings.integer('TOUCHSTONE_BODY_BYTES_MAX', { min: 1_024, max: 64 << 20, otherwise: 1 << 20 }),
    requestTimeoutMs:
      1_000 * settings.integer('TOUCHSTONE_REQUEST_TIMEOUT_SECONDS', { min: 1, max: 600, otherwise: 30 }),
    poolSizeMax: settings.integer('TOUCHSTONE_POOL_SIZE', { min: 2, max: 200, otherwise: 10 }),
    statementTimeoutMs:
      1_000 * settings.integer('TOUCHSTONE_STATEMENT_TIMEOUT_SECONDS', { min: 1, max: 600, otherwise: 5 }),
    workerConcurrency: settings.integer('TOUCHSTONE_WORKER_CONCURRENCY', { min: 1, max: 100, otherwise: 4 }),
    otlpGrpcPort:
      settings.text('TOUCHSTONE_OTLP_GRPC_PORT') === 'off'
        ? undefined
        : settings.integer('TOUCHSTONE_OTLP_GRPC_PORT', { min: 0, max: 65_535, otherwise: 4_317 }),
    isOtlpGrpcPortGiven: settings.text('TOUCHSTONE_OTLP_GRPC_PORT') !== undefined,
    secretKeys: secretKeys(settings.text('TOUCHSTONE_SECRET_KEY')),
    secretKeyFile: database.startsWith('file:') ? `${database.slice('file:'.length)}-secret-key` : undefined,
    allowedEgress: settings.list('TOUCHSTONE_ALLOWED_EGRESS'),
    allowableEgress: allowableEgress(settings, host),
    defaultModel: defaultModel(settings),
    limits: limitSettings(settings),
    quotas: {
      spansPerDay: settings.optionalInteger('TOUCHSTONE_QUOTA_SPANS_PER_DAY'),
      storedBytes: settings.optionalInteger('TOUCHSTONE_QUOTA_STORED_BYTES'),
      evaluationsPerDay: settings.optionalInteger('TOUCHSTONE_QUOTA_EVALUATIONS_PER_DAY'),
    },
  }
}

/**
 * By default this machine and its private networks if only this machine can reach the server: then its admin is at the machine. Behind a
 * proxy, which a public URL indicates, admins may be anywhere.
 */
function allowableEgress(settings: Settings, host: string): string[] {
  const text = settings.text('TOUCHSTONE_ALLOWABLE_EGRESS')
  if (text === 'off') return []
  if (text !== undefined) return settings.list('TOUCHSTONE_ALLOWABLE_EGRESS')
  const isLocal = isInRanges(LOOPBACK, host === 'localhost' ? '127.0.0.1' : host)
  return isLocal && settings.text('TOUCHSTONE_PUBLIC_URL') === undefined ? LOCAL_NETWORKS : []
}

const LOOPBACK_RANGES = ['127.0.0.0/8', '::1/128']
const LOOPBACK = rangesOf(LOOPBACK_RANGES)
const LOCAL_NETWORKS = [...LOOPBACK_RANGES, '10.0.0.0/8', '172.16.0.0/12', '192.168.0.0/16']

function limitSettings(settings: Settings): LimitSettings {
  const upTo = (name: string, max: number, otherwise: number) => settings.integer(name, { min: 1, max, otherwise })
  return {
    connectionsMax: upTo('TOUCHSTONE_CONNECTIONS_MAX', 1_000_000, 10_000),
    connectionsPerAddressMax: upTo('TOUCHSTONE_CONNECTIONS_PER_ADDRESS_MAX', 1_000_000, 1_000),
    bodyBytesInFlightMax: settings.integer('TOUCHSTONE_BODY_BYTES_IN_FLIGHT_MAX', {
      min: 1 << 20,
      max: 900_000_000,
      otherwise: 64 << 20,
    }),
    requestsPerSecond: upTo('TOUCHSTONE_REQUESTS_PER_SECOND', 1_000_000, 1_000),
    requestsBurst: upTo('TOUCHSTONE_REQUESTS_BURST', 10_000_000, 5_000),
    failedAuthenticationsPerSecond: upTo('TOUCHSTONE_FAILED_AUTHENTICATIONS_PER_SECOND', 1_000_000, 10),
    eventStreamsMax: upTo('TOUCHSTONE_EVENT_STREAMS_MAX', 100_000, 50),
    workspacesPerPersonMax: upTo('TOUCHSTONE_WORKSPACES_PER_PERSON_MAX', 1_000_000, 20),
  }
}

class Settings {
  readonly #environment: Environment

  constructor(environment: Environment) {
    this.#environment = environment
  }

  /** The value of a setting, or the content of the file in `<name>_FILE`, as container platforms provide secrets. */
  text(name: string): string | undefined {
    const value = this.#environment[name]
    const file = this.#environment[`${name}_FILE`]
    if (file === undefined || file === '') return value === '' ? undefined : value
    if (value !== undefined && value !== '') throw wrong(`${name} and ${name}_FILE are both set; keep one of them`)
    try {
      return readFileSync(file, 'utf8').replace(/\r?\n$/, '')
    } catch {
      throw wrong(`${name}_FILE names the file ${file}, which cannot be read`)
    }
  }

  integer(name: string, { min, max, otherwise }: { min: number; max: number; otherwise: number }): number {
    const text = this.text(name)
    if (text === undefined) return otherwise
    const value = /^\d{1,9}$/.test(text) ? Number(text) : Number.NaN
    if (!(value >= min && value <= max))
      throw wrong(`${name} must be a whole number from ${min} to ${max}, not ${JSON.stringify(text)}`)
    return value
  }

  /** Undefined if it is not set. */
  optionalInteger(name: string): number | undefined {
    const text = this.text(name)
    if (text === undefined) return undefined
    if (!/^[1-9]\d{0,14}$/.test(text))
      throw wrong(`${name} must be a whole number from 1 to 999999999999999, not ${JSON.stringify(text)}`)
    return Number(text)
  }

  list(name: string): string[] {
    return (this.text(name) ?? '')
      .split(',')
      .map((entry) => entry.trim())
      .filter((entry) => entry !== '')
  }

  flag(name: string): boolean {
    const text = this.text(name) ?? 'false'
    if (text !== 'true' && text !== 'false') throw wrong(`${name} must be true or false, not ${JSON.stringify(text)}`)
    return text === 'true'
  }

  rejectUnknown(): void {
    const known = new Set<string>([...CLIENT_NAMES, ...OWN_NAMES.flatMap((name) => [name, `${name}_FILE`])])
    const unknown = Object.keys(this.#environment).find((name) => name.startsWith('TOUCHSTONE_') && !known.has(name))
    if (unknown) throw wrong(`${unknown} is not a setting; the settings are ${OWN_NAMES.join(', ')}`)
  }
}

function hostName(text: string): string {
  // A name or an IPv4 address has letters, digits, dots and dashes; an IPv6 address has colons and no brackets.
  if (/^[A-Za-z0-9.-]{1,253}$/.test(text) || isIPv6(text)) return text
  throw wrong('HOST must be an address or a name of this machine, without a port or brackets')
}

function databaseUrl(text: string | undefined): string {
  if (text === undefined) return 'file:./data/touchstone.db'
  if (/^file:./.test(text)) return text
  if (/^postgres(ql)?:\/\//.test(text) && URL.canParse(text)) return text
  throw wrong('DATABASE_URL must be file:<path> or postgres://user:password@host:port/database')
}

function trustedProxies(entries: string[]): string[] {
  const invalid = entries.find((entry) => readRange(entry) === undefined && rangeOfAddress(entry) === undefined)
  if (invalid === undefined) return entries
  throw wrong(
    `TOUCHSTONE_TRUSTED_PROXIES must be a list of addresses and networks such as 10.0.0.5,172.16.0.0/12, not ${JSON.stringify(invalid)}`,
  )
}

function apiKey(text: string | undefined): string | undefined {
  if (text === undefined) return undefined
  if (!/^[\x21-\x7e]{32,200}$/.test(text)) {
    throw wrong('TOUCHSTONE_API_KEY must be 32 to 200 printable ASCII characters without spaces')
  }
  // It would be stored, but every request with it would be rejected.
  if (!mayBeApiKey(text))
    throw wrong('TOUCHSTONE_API_KEY has the format of a generated key, but a wrong checksum; copy it again')
  return text
}

function secretKeys(text: string | undefined): Buffer[] {
  return text === undefined ? [] : text.split(/[\s,]+/).map(secretKey)
}

function secretKey(text: string): Buffer {
  const key = Buffer.from(text, /^[0-9a-f]{64}$/i.test(text) ? 'hex' : 'base64')
  // Decoding ignores invalid base64 characters, so the format is checked, too.
  if (/^[A-Za-z0-9+/_-]{43,64}=?$/.test(text) && key.length === 32) return key
  throw wrong(
    'TOUCHSTONE_SECRET_KEY must be 32 bytes, as 64 hexadecimal digits or in base64: openssl rand -hex 32. Former ones may follow after commas',
  )
}

/** Uses the environment variables of OpenAI clients. */
function defaultModel(settings: Settings): DefaultModel | undefined {
  const baseUrl = settings.text('OPENAI_BASE_URL')
  const apiKey = settings.text('OPENAI_API_KEY')
  const model = settings.text('TOUCHSTONE_DEFAULT_MODEL')
  if (baseUrl === undefined && apiKey === undefined) {
    if (model === undefined) return undefined
    throw wrong('TOUCHSTONE_DEFAULT_MODEL needs OPENAI_BASE_URL or OPENAI_API_KEY, which say where that model is')
  }
  if (apiKey !== undefined && !/^[\x21-\x7e]{1,1000}$/.test(apiKey)) {
    throw wrong('OPENAI_API_KEY must be 1 to 1000 printable ASCII characters without spaces')
  }
  const url = URL.parse(baseUrl ?? 'https://api.openai.com/v1')
  const isPlain = url !== null && /^https?:$/.test(url.protocol) && url.username === '' && url.password === ''
  if (!isPlain || url.hash !== '') {
    throw wrong(
      'OPENAI_BASE_URL must be an address such as https://api.example.com/v1, without a name, a password or a #',
    )
  }
  return { baseUrl: `${url.origin}${url.pathname.replace(/\/+$/, '')}${url.search}`, apiKey, model }
}

function publicUrl(settings: Settings, own: string): string {
  const text = settings.text('TOUCHSTONE_PUBLIC_URL')
  if (text === undefined) return own
  const url = URL.parse(text)
  const isPlain =
    url !== null && /^https?:$/.test(url.protocol) && url.pathname === '/' && url.search === '' && url.hash === ''
  if (!isPlain)
    throw wrong('TOUCHSTONE_PUBLIC_URL must be an address such as https://touchstone.example.com, without a path')
  if (own.startsWith('https:') && url.protocol === 'http:')
    throw wrong('TOUCHSTONE_PUBLIC_URL must begin with https:// if TOUCHSTONE_TLS_CERT is set')
  return url.origin
}

/** The URL for local clients. */
export function addressOf(host: string, port: number, scheme: 'http' | 'https' = 'http'): string {
  const reachable = host === '0.0.0.0' || host === '::' ? 'localhost' : host.includes(':') ? `[${host}]` : host
  return `${scheme}://${reachable}:${port}`
}

function logLevel(text = 'info'): LogLevel {
  const level = LOG_LEVELS.find((name) => name === text)
  if (!level) throw wrong(`TOUCHSTONE_LOG_LEVEL must be one of ${LOG_LEVELS.join(', ')}`)
  return level
}

function accessLog(text = 'off'): boolean {
  if (text !== 'on' && text !== 'off')
    throw wrong(`TOUCHSTONE_ACCESS_LOG must be on or off, not ${JSON.stringify(text)}`)
  return text === 'on'
}

/** The host is required, so that no one opens the port to a network by accident. */
function metricsAddress(text = 'off'): Config['metricsAddress'] {
  if (text === 'off') return undefined
  const [, bracketed, name, digits] = /^(?:\[([^\]]+)\]|([A-Za-z0-9.-]{1,253})):(\d{1,5})$/.exec(text) ?? []
  const host = bracketed ?? name
  const port = Number(digits)
  const isHost = host !== undefined && (bracketed === undefined || isIPv6(bracketed))
  if (isHost && port <= 65_535) return { host, port }
  throw wrong(`TOUCHSTONE_METRICS must be off or an address such as 127.0.0.1:9464, not ${JSON.stringify(text)}`)
}

function wrong(message: string): AppError {
  return new AppError(500, message)
}
