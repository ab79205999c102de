import { describe, expect, it } from 'vitest'
import { createThrottle, deleteExpiredAttempts, type Throttle } from '../../src/auth/sign-in/login-throttle.ts'
import { AppError } from '../../src/base/errors.ts'
import { describeOnEachEngine } from '../harness/auth-app.ts'
import { virtualTime } from './virtual-time.ts'

const SECOND = 1_000
const DAY = 24 * 3_600 * SECOND
const EMAIL = 'ann@example.com'

const wrong = async () => ({ outcome: 'wrong' as const, value: undefined })
const right = async () => ({ outcome: 'right' as const, value: undefined })

describeOnEachEngine('the login throttle', (app) => {
  /** As after a restart: nothing is remembered but what is in the database. */
  const throttle = (slept: number[] = []): Throttle =>
    createThrottle({
      db: app().db,
      clock: app().clock,
      random: () => 0,
      sleep: async (ms) => {
        slept.push(ms)
        app().wait(ms)
      },
    })
  const stranger = { email: EMAIL, address: '198.51.100.1', device: undefined }

  it('delays attempts after three free ones, a little more each time, and never longer than five seconds', async () => {
    const slept: number[] = []
    const waits: number[] = []
    for (let attempt = 1; attempt <= 8; attempt += 1) {
      waits.push((await throttle(slept).tryPassword(stranger, wrong)).waitSeconds)
    }
    expect(waits).toEqual([0, 0, 0, 1, 2, 4, 5, 5])
    expect(slept).toEqual([1_000, 2_000, 4_000, 5_000])
  })

  it('counts under every spelling of the e-mail, and for all addresses of an IPv6 network together', async () => {
    const spellings = ['ANN@example.com', 'Ann@Example.com', 'ann@EXAMPLE.com', EMAIL]
    const waits: number[] = []
    for (const [index, email] of spellings.entries()) {
      const attempt = { email, address: `2001:db8:1:2::${index}`, device: undefined }
      waits.push((await throttle().tryPassword(attempt, wrong)).waitSeconds)
    }
    expect(waits).toEqual([0, 0, 0, 1])
    expect((await throttle().tryPassword({ ...stranger, email: 'bob@example.com' }, wrong)).waitSeconds).toBe(0)
  })

  it('has a separate counter for a known device: five free failures, then the delay doubles', async () => {
    const device = { ...stranger, device: 'device-1' }
    const waits: number[] = []
    for (let failures = 1; failures <= 17; failures += 1) {
      const { waitSeconds } = await throttle().tryPassword(device, wrong)
      waits.push(waitSeconds)
      if (waitSeconds > 0) await expect(throttle().tryPassword(device, right)).rejects.toMatchObject({ status: 429 })
      app().wait(waitSeconds * SECOND)
    }
    expect(waits).toEqual([0, 0, 0, 0, 1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 900, 900, 900])
    expect((await throttle().tryPassword({ ...device, device: 'device-2' }, wrong)).waitSeconds).toBe(0)
  })

  it('resets the failures of an account with the right password, but not those of the address', async () => {
    for (let failures = 1; failures <= 30; failures += 1) await throttle().tryPassword(stranger, wrong)
    for (let index = 0; index < 25; index += 1)
      await throttle().tryPassword({ ...stranger, email: `a${index}@example.com` }, wrong)
    await throttle().tryPassword(stranger, right)
    const slept: number[] = []
    await throttle(slept).tryPassword(stranger, wrong)
    expect(slept).toEqual([1_000])
  })

  it('resets an account after a day without failures', async () => {
    for (let failures = 1; failures <= 8; failures += 1) await throttle().tryPassword(stranger, wrong)
    app().wait(DAY + 1)
    expect((await throttle().tryPassword(stranger, wrong)).waitSeconds).toBe(0)
  })

  it('allows an address twenty starts of a sign-in a minute, then one a second', async () => {
    const slept: number[] = []
    for (let codes = 1; codes <= 23; codes += 1) await throttle(slept).countRequest('oidc', '203.0.113.1')
    expect(slept).toEqual([1_000, 1_000])
  })

  it('leaves to the housekeeper only counters that mean nothing any more', async () => {
    await throttle().tryPassword(stranger, wrong)
    app().wait(DAY + 1)
    await throttle().countRequest('oidc', '203.0.113.1')
    await deleteExpiredAttempts(app().db, app().clock)
    const rows = await app().db.read.selectFrom('login_attempts').select('subject').execute()
    expect(rows).toEqual([{ subject: 'oidc:203.0.113.1' }])
  })
})

describe('a flood of guesses', () => {
  const MINUTES = 4
  for (const { tags, ...flood } of [
    { perSecond: 1, addresses: 1, tags: ['deep'] },
    { perSecond: 3, addresses: 1, tags: ['deep'] },
    { perSecond: 4, addresses: 15, tags: [] },
  ])
    it(`of ${flood.perSecond} a second from ${flood.addresses} addresses gets few guesses, and the owner gets in`, {
      tags,
    }, async () => {
      const time = await virtualTime()
      try {
        const throttle = createThrottle({ ...time, random: time.random })
        let guesses = 0
        const guess = async () => {
          guesses += 1
          return wrong()
        }
        const begun = time.clock.now()
        const slowest = { device: 0, address: 0 }
        let sent = 0
        for (let second = 0; second < MINUTES * 60; second += 1) {
          for (let n = 0; n < flood.perSecond; n += 1) {
            sent += 1
            const address = `198.51.100.${sent % flood.addresses}`
            throttle.tryPassword({ email: EMAIL, address, device: undefined }, guess).catch(expectTooMany)
          }
          if (second % 60 === 59) {
            // A device that is known, at the address of the flood; and one that is not, at an address of its own.
            slowest.device = Math.max(slowest.device, await time.untilDone(() => owner('198.51.100.0', 'laptop')))
            slowest.address = Math.max(slowest.address, await time.untilDone(() => owner('203.0.113.50', undefined)))
          }
          await time.advance(SECOND)
        }
        const elapsed = (time.clock.now() - begun) / SECOND
        // The owner's success resets the account's failures, and with them the delay, once a minute.
        expect(guesses).toBeLessThanOrEqual(flood.addresses * 3 * (MINUTES + 1) + elapsed / 5 + MINUTES * 5)
        expect(guesses).toBeGreaterThan(elapsed / 10)
        expect(slowest).toEqual({ device: 0, address: 0 })

        async function owner(address: string, device: string | undefined) {
          await throttle.tryPassword({ email: EMAIL, address, device }, right)
        }
      } finally {
        await time.close()
      }
    })

  it('from the very address of an owner on a new device keeps the owner waiting, but not out', async () => {
    const time = await virtualTime()
    try {
      const throttle = createThrottle({ ...time, random: time.random })
      const shared = { email: EMAIL, address: '198.51.100.0', device: undefined }
      let isIn = false
      let isWaiting = false
      /** After each "too many attempts" the owner tries again. */
      const tryAsOwner = async () => {
        isWaiting = true
        try {
          await throttle.tryPassword(shared, right)
          isIn = true
        } catch (error) {
          expectTooMany(error)
        }
        isWaiting = false
      }
      for (let second = 0; second < 300 && !isIn; second += 1) {
        if (second % 3 === 0) throttle.tryPassword(shared, wrong).catch(expectTooMany)
        if (second >= 60 && !isWaiting) void tryAsOwner()
        await time.advance(SECOND)
      }
      expect(isIn).toBe(true)
    } finally {
      await time.close()
    }
  })
})

function expectTooMany(error: unknown): void {
  if (!(error instanceof AppError && error.status === 429)) throw error
}
