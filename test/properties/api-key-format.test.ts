import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { displayParts, generateApiKey, hashSecret, mayBeApiKey } from '../../src/auth/api-keys/api-key-format.ts'
import { createAuthenticator } from '../../src/auth/authenticate.ts'
import { createLogger } from '../../src/base/log.ts'
import { readConfig } from '../../src/config.ts'
import { describeEachEngine } from '../harness/each-engine.ts'
import { NO_CALLER_LIMITS } from '../harness/no-limits.ts'
import { runs } from '../harness/stage.ts'

const BASE64URL = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_'
const BASE62 = BASE64URL.slice(0, 62)
const FORM = /^tsk_[0-9A-Za-z]{8}_[A-Za-z0-9_-]{43}[0-9A-Za-z]{6}$/

/** The characters that a place of a key may hold; undefined where only one is possible. */
function alphabetAt(place: number): string | undefined {
  if (place < 4 || place === 12) return undefined
  return place >= 13 && place < 56 ? BASE64URL : BASE62
}

describe('a generated key', () => {
  it('has the documented form, and shows of itself only its beginning and its last four characters', () => {
    const keys = Array.from({ length: 500 }, generateApiKey)
    for (const key of keys) {
      expect(key).toMatch(FORM)
      expect(mayBeApiKey(key)).toBe(true)
      expect(displayParts(key)).toEqual({ prefix: key.slice(0, 12), lastFour: key.slice(-4) })
    }
    expect(new Set(keys).size).toBe(500)
    expect(new Set(keys.map(hashSecret)).size).toBe(500)
  })

  it('with any single character changed, at every place and to every other character, fails its checksum', () => {
    for (let round = 0; round < 20; round += 1) {
      const key = generateApiKey()
      for (let place = 0; place < key.length; place += 1) {
        for (const character of alphabetAt(place) ?? '') {
          const changed = key.slice(0, place) + character + key.slice(place + 1)
          if (changed !== key && mayBeApiKey(changed)) expect.fail(`${changed} passes for ${key}`)
        }
      }
    }
  })

  it('with two neighbours swapped fails its checksum', () => {
    for (let round = 0; round < 100; round += 1) {
      const key = generateApiKey()
      for (let place = 13; place < key.length - 1; place += 1) {
        const swapped = key.slice(0, place) + key.charAt(place + 1) + key.charAt(place) + key.slice(place + 2)
        if (swapped !== key && FORM.test(swapped)) expect(mayBeApiKey(swapped), swapped).toBe(false)
      }
    }
  })
})

describe('a key that fails its checksum', () => {
  it('is rejected without a database query', async () => {
    const unused = () => {
      throw new Error('the database was asked')
    }
    const db = {
      inTransaction: false,
      get read(): never {
        throw new Error('the database was asked')
      },
      bulk: unused,
      search: unused,
      inReadWorker: () => Promise.reject(new Error('the database was asked')),
      transaction: () => Promise.reject(new Error('the database was asked')),
    }
    const cookie = { publicUrl: 'http://localhost', secret: 'a secret of at least thirty-two characters' }
    const { identify } = createAuthenticator({
      db,
      clock: { now: () => 0 },
      log: createLogger('silent'),
      cookie,
      limits: NO_CALLER_LIMITS,
    })
    const access = { auth: 'key-or-session', workspace: 'header', role: 'viewer' } as const
    const key = generateApiKey()
    const wrong = `${key.slice(0, -1)}${key.endsWith('z') ? 'y' : 'z'}`
    const asked = (secret: string) =>
      identify(access, { authorization: `Bearer ${secret}`, cookie: undefined, applicationId: undefined, address: '' })
    await expect(asked(wrong)).rejects.toMatchObject({ status: 401, message: 'Invalid or missing API key' })
    await expect(asked(key)).rejects.toThrow('the database was asked')
  })
})

/** What an operator may set as TOUCHSTONE_API_KEY, in our own form or not. */
const chosen = fc.string({
  unit: fc.integer({ min: 0x21, max: 0x7e }).map((code) => String.fromCharCode(code)),
  minLength: 32,
  maxLength: 200,
})

describe('a chosen key', () => {
  it('that the configuration accepts is one that a request may carry', { tags: 'sized' }, () => {
    fc.assert(
      fc.property(chosen, (key) => {
        expect(readConfig({ TOUCHSTONE_API_KEY: key }).apiKey).toBe(key)
        expect(mayBeApiKey(key)).toBe(true)
        expect(displayParts(key)).toEqual({ prefix: '', lastFour: key.slice(-4) })
      }),
      { numRuns: runs(500) },
    )
  })

  it('in the generated format with a wrong checksum is rejected at startup, because no request could use it', () => {
    const key = generateApiKey()
    const wrong = `${key.slice(0, -1)}${key.endsWith('z') ? 'y' : 'z'}`
    expect(() => readConfig({ TOUCHSTONE_API_KEY: wrong })).toThrow(/TOUCHSTONE_API_KEY/)
  })
})

const CHOSEN = '~chosen/by=the+operator.with(odd)characters!'

describeEachEngine(
  'over HTTP',
  (app) => {
    it('a chosen key works, and not with any character changed', { tags: 'sized' }, async () => {
      expect((await app().withKey(CHOSEN).get('/workspace')).status).toBe(200)

      await fc.assert(
        fc.asyncProperty(fc.nat(CHOSEN.length - 1), fc.constantFrom(...'!~aZ09_-'), async (place, character) => {
          const changed = CHOSEN.slice(0, place) + character + CHOSEN.slice(place + 1)
          const { status } = await app().withKey(changed).get('/workspace')
          expect(status, changed).toBe(changed === CHOSEN ? 200 : 401)
        }),
        { numRuns: runs(60) },
      )
    })

    it('a generated key works, and with any single character changed it does not', { tags: 'sized' }, async () => {
      const { key } = await app().newWorkspace()
      expect((await app().withKey(key).get('/workspace')).status).toBe(200)
      await fc.assert(
        fc.asyncProperty(fc.nat(key.length - 1), fc.constantFrom(...BASE64URL), async (place, character) => {
          const changed = key.slice(0, place) + character + key.slice(place + 1)
          const { status } = await app().withKey(changed).get('/workspace')
          expect(status, changed).toBe(changed === key ? 200 : 401)
        }),
        { numRuns: runs(100) },
      )
    })
  },
  { environment: { TOUCHSTONE_API_KEY: CHOSEN } },
)
