import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { afterAll, describe, expect, it } from 'vitest'
import { AppError } from '../../src/base/errors.ts'
import { type Config, readConfig } from '../../src/config.ts'
import { runs } from '../harness/stage.ts'

const NUMBERS = {
  PORT: { min: 0, max: 65_535 },
  TOUCHSTONE_BODY_BYTES_MAX: { min: 1_024, max: 64 << 20 },
  TOUCHSTONE_REQUEST_TIMEOUT_SECONDS: { min: 1, max: 600 },
  TOUCHSTONE_POOL_SIZE: { min: 2, max: 200 },
  TOUCHSTONE_STATEMENT_TIMEOUT_SECONDS: { min: 1, max: 600 },
  TOUCHSTONE_WORKER_CONCURRENCY: { min: 1, max: 100 },
}
const NUMBER_NAMES: readonly string[] = Object.keys(NUMBERS)
const SECRETS = [
  'TOUCHSTONE_ADMIN_PASSWORD',
  'TOUCHSTONE_API_KEY',
  'TOUCHSTONE_SECRET_KEY',
  'OPENAI_API_KEY',
  'DATABASE_URL',
]
const NAMES = [
  ...NUMBER_NAMES,
  ...SECRETS,
  'HOST',
  'TOUCHSTONE_ADMIN_EMAIL',
  'TOUCHSTONE_OPEN_SIGNUP',
  'TOUCHSTONE_PUBLIC_URL',
  'TOUCHSTONE_ALLOWED_HOSTS',
  'TOUCHSTONE_TRUSTED_PROXIES',
  'TOUCHSTONE_LOG_LEVEL',
  'TOUCHSTONE_ALLOWED_EGRESS',
  'TOUCHSTONE_DEFAULT_MODEL',
  'OPENAI_BASE_URL',
]

const folder = mkdtempSync(join(tmpdir(), 'touchstone-environment-'))
afterAll(() => rmSync(folder, { recursive: true }))

const text = fc.oneof(
  fc.string({ unit: 'binary' }),
  fc.string(),
  fc.webUrl(),
  fc.domain(),
  fc.ipV6(),
  fc.integer().map(String),
  fc.constantFrom(
    '',
    ' ',
    'true',
    'TRUE',
    '1e3',
    '0x10',
    '-0',
    '007',
    '٣',
    'file:',
    'file:x',
    'postgres://',
    '::',
    '[::1]',
  ),
  fc.constantFrom(
    'http://a b',
    'https://example.com/path',
    'https://user:pass@example.com',
    'postgres://h:99999/d',
    '\0',
  ),
)
const environment = fc.dictionary(fc.constantFrom(...NAMES, ...NAMES.map((name) => `${name}_FILE`)), text)

/** The config, or the message with which it was rejected; anything else that is thrown fails the test. */
function read(given: Record<string, string>): Config | string {
  try {
    return readConfig(given)
  } catch (error) {
    if (!(error instanceof AppError)) throw error
    return error.message
  }
}

describe('the environment', () => {
  it('may be set up for the SDKs at the same time', () => {
    expect(readConfig({ TOUCHSTONE_URL: 'http://127.0.0.1:3000/any' })).toEqual(readConfig({}))
    expect(() => readConfig({ TOUCHSTONE_URLS: 'x' })).toThrow('TOUCHSTONE_URLS is not a setting')
  })

  it('is either read or rejected with a message that names a setting, for any values', { tags: 'sized' }, () => {
    fc.assert(
      fc.property(environment, (given) => {
        const config = read(given)
        if (typeof config === 'string') {
          expect(
            NAMES.some((name) => config.includes(name)),
            config,
          ).toBe(true)
          return
        }
        expectUsable(config)
        if (given.HOST === undefined && given.HOST_FILE === undefined) expect(URL.canParse(config.publicUrl)).toBe(true)
      }),
      { numRuns: runs(5_000) },
    )
  })

  it('with an invalid HOST is rejected with a message, or gives an address that opens', () => {
    const hosts = ['a b', '[::1]', 'http://example.com', 'example.com:80', 'exa/mple', '\0', '%', 'a@b']
    const broken = hosts
      .map((HOST) => read({ HOST }))
      .filter((config) => {
        if (typeof config === 'string') return !config.includes('HOST')
        return URL.parse(config.publicUrl)?.port !== '3000'
      })
    expect(broken.map((config) => (typeof config === 'string' ? config : config.publicUrl))).toEqual([])
  })

  it('reveals no secret in the error message', { tags: 'sized' }, () => {
    const secret = fc.string({ unit: fc.constantFrom(...'abcXYZ019!§ü \t'), minLength: 8, maxLength: 300 })
    fc.assert(
      fc.property(fc.constantFrom(...SECRETS), secret, (name, value) => {
        const config = read({ [name]: value, TOUCHSTONE_LOG_LEVEL: 'info' })
        if (typeof config === 'string') expect(config).not.toContain(value)
      }),
      { numRuns: runs(500) },
    )
  })

  it.each(Object.entries(NUMBERS))('%s is a plain decimal number in its range, or rejected', (name, { min, max }) => {
    const candidate = fc.oneof(
      fc.integer({ min: min - 2, max: min + 2 }).map(String),
      fc.integer({ min: max - 2, max: max + 2 }).map(String),
      fc.integer({ min, max }).map(String),
      text,
    )
    fc.assert(
      fc.property(candidate, (value) => {
        const isGood = value === '' || (/^[0-9]+$/.test(value) && BigInt(value) >= min && BigInt(value) <= max)
        const config = read({ [name]: value })
        if (!isGood)
          expect(config).toBe(`${name} must be a whole number from ${min} to ${max}, not ${JSON.stringify(value)}`)
        else if (value.length <= 9) expect(typeof config).toBe('object')
      }),
      { numRuns: runs(300) },
    )
  })

  it.each([
    'TOUCHSTONE_OPEN_SIGNUP',
    'TOUCHSTONE_LOG_LEVEL',
    'DATABASE_URL',
    'TOUCHSTONE_PUBLIC_URL',
    'TOUCHSTONE_API_KEY',
    'TOUCHSTONE_SECRET_KEY',
    'OPENAI_BASE_URL',
  ])('%s rejects an unknown value with its own name', (name) => {
    for (const value of ['maybe', 'TRUE', 'yes please', 'ftp://example.com', 'short', 'x'.repeat(500)]) {
      expect(read({ [name]: value }), value).toContain(name)
    }
  })

  it('with a mistyped name is rejected with that name', { tags: 'sized' }, () => {
    fc.assert(
      fc.property(fc.string({ unit: fc.constantFrom(...'ABCXYZ_'), minLength: 1, maxLength: 12 }), (end) => {
        const name = `TOUCHSTONE_${end}`
        fc.pre(!NAMES.some((known) => name === known || name === `${known}_FILE`))
        expect(read({ [name]: 'x' })).toContain(name)
      }),
      { numRuns: runs(200) },
    )
  })

  it.each(NAMES)('%s may be kept in a file, but not in two places, and not in one that cannot be read', (name) => {
    const file = join(folder, name)
    const good = NUMBER_NAMES.includes(name) ? '2048' : GOOD[name]
    if (good === undefined) throw new Error(`a good value of ${name} must be known here`)
    const value = NUMBER_NAMES.includes(name) && name !== 'PORT' && name !== 'TOUCHSTONE_BODY_BYTES_MAX' ? '50' : good
    writeFileSync(file, `${value}\n`)
    const partner: Record<string, string> = PARTNERS[name] ?? {}
    expect(read({ ...partner, [`${name}_FILE`]: file })).toEqual(read({ ...partner, [name]: value }))
    expect(read({ ...partner, [name]: value, [`${name}_FILE`]: file })).toContain(`${name}_FILE`)
    expect(read({ ...partner, [`${name}_FILE`]: join(folder, 'nowhere') })).toContain(`${name}_FILE`)
    expect(read({ ...partner, [`${name}_FILE`]: folder })).toContain(`${name}_FILE`)
  })

  it('with an incomplete account is rejected', () => {
    expect(read({ TOUCHSTONE_ADMIN_EMAIL: 'ann@example.com' })).toContain('TOUCHSTONE_ADMIN_PASSWORD')
    expect(read({ TOUCHSTONE_ADMIN_PASSWORD: 'correct horse battery' })).toContain('TOUCHSTONE_ADMIN_EMAIL')
  })
})

const GOOD: Record<string, string> = {
  HOST: '0.0.0.0',
  DATABASE_URL: 'postgres://user:secret@db.example.com:5432/touchstone',
  TOUCHSTONE_ADMIN_EMAIL: 'ann@example.com',
  TOUCHSTONE_ADMIN_PASSWORD: 'correct horse battery',
  TOUCHSTONE_API_KEY: 'a-key-of-at-least-thirty-two-characters',
  TOUCHSTONE_OPEN_SIGNUP: 'true',
  TOUCHSTONE_PUBLIC_URL: 'https://touchstone.example.com',
  TOUCHSTONE_ALLOWED_HOSTS: 'a.example.com, b.example.com',
  TOUCHSTONE_TRUSTED_PROXIES: '10.0.0.5, 172.16.0.0/12, fd00::/8',
  TOUCHSTONE_LOG_LEVEL: 'debug',
  TOUCHSTONE_SECRET_KEY: '0f'.repeat(32),
  TOUCHSTONE_ALLOWED_EGRESS: 'localhost:11434, 10.0.0.0/8',
  TOUCHSTONE_DEFAULT_MODEL: 'judge-1',
  OPENAI_BASE_URL: 'http://localhost:11434/v1',
  OPENAI_API_KEY: 'sk-of-the-operator',
}
const PARTNERS: Record<string, Record<string, string>> = {
  TOUCHSTONE_ADMIN_EMAIL: { TOUCHSTONE_ADMIN_PASSWORD: 'correct horse battery' },
  TOUCHSTONE_ADMIN_PASSWORD: { TOUCHSTONE_ADMIN_EMAIL: 'ann@example.com' },
  TOUCHSTONE_DEFAULT_MODEL: { OPENAI_API_KEY: 'sk-of-the-operator' },
}

/** What the rest of the program relies on without checking it again. */
function expectUsable(config: Config): void {
  expect(config.databaseUrl).toMatch(/^(file:.|postgres(ql)?:\/\/)/)
  for (const number of [config.port, config.bodyBytesMax, config.requestTimeoutMs, config.poolSizeMax]) {
    expect(Number.isSafeInteger(number)).toBe(true)
  }
  expect((config.adminEmail === undefined) === (config.adminPassword === undefined)).toBe(true)
  expect(config.allowedHosts.every((name) => name !== '' && name === name.trim())).toBe(true)
}
