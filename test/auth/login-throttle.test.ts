import { expect, it } from 'vitest'
import {
  assertMayTry,
  countDeviceCode,
  deleteQuietAttempts,
  recordFailure,
  recordSuccess,
} from '../../src/auth/login-throttle.ts'
import { AppError } from '../../src/base/errors.ts'
import { describeOnEachEngine } from '../harness/auth-app.ts'

const SECOND = 1_000
const DAY = 24 * 3_600 * SECOND

describeOnEachEngine('the login throttle', (app) => {
  const email = 'ann@example.com'
  let address = 0
  const fail = () => {
    address += 1
    return recordFailure(app().db, app().clock, { email, address: `192.0.2.${address}` })
  }
  /** Seconds to wait, as a client is told; 0 if it may try. */
  const waiting = async (attempt: { email?: string; address: string } = { email, address: '198.51.100.1' }) => {
    try {
      await assertMayTry(app().db, app().clock, attempt)
      return 0
    } catch (error) {
      if (!(error instanceof AppError) || error.status !== 429) throw error
      return Number(error.headers['retry-after'])
    }
  }

  it('an account has five free failures, then waits twice as long each time, and never longer than a quarter of an hour', async () => {
    const waits: number[] = []
    for (let failures = 1; failures <= 18; failures += 1) {
      await fail()
      const seconds = await waiting()
      waits.push(seconds)
      app().wait(seconds * SECOND)
      expect(await waiting()).toBe(0)
    }
    expect(waits).toEqual([0, 0, 0, 0, 1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 900, 900, 900, 900])
  })

  it('an account waits under every spelling of its e-mail, and others do not wait with it', async () => {
    for (let failures = 1; failures <= 5; failures += 1) await fail()
    expect(await waiting({ email: 'ANN@example.com', address: '198.51.100.1' })).toBe(1)
    expect(await waiting({ email: 'bob@example.com', address: '198.51.100.1' })).toBe(0)
  })

  it('the right password clears the account, but not the address it came from', async () => {
    const attempt = { email, address: '203.0.113.1' }
    for (let failures = 1; failures <= 20; failures += 1) await recordFailure(app().db, app().clock, attempt)
    await recordSuccess(app().db, 'Ann@Example.com')
    expect(await waiting()).toBe(0)
    expect(await waiting(attempt)).toBe(3)
  })

  it('an account is forgotten after a quiet day', async () => {
    for (let failures = 1; failures <= 8; failures += 1) await fail()
    app().wait(DAY + 1)
    await fail()
    expect(await waiting()).toBe(0)
  })

  it('an address has twenty failures a minute, whichever accounts they are aimed at', async () => {
    const failAt = (n: number) =>
      recordFailure(app().db, app().clock, { email: `a${n}@example.com`, address: '203.0.113.1' })
    for (let failures = 1; failures <= 19; failures += 1) await failAt(failures)
    expect(await waiting({ address: '203.0.113.1' })).toBe(0)
    await failAt(20)
    expect(await waiting({ address: '203.0.113.1' })).toBe(3)
    app().wait(3 * SECOND)
    expect(await waiting({ address: '203.0.113.1' })).toBe(0)
    await failAt(21)
    expect(await waiting({ address: '203.0.113.1' })).toBe(3)
    app().wait(60 * SECOND)
    for (let failures = 1; failures <= 18; failures += 1) await failAt(failures)
    expect(await waiting({ address: '203.0.113.1' })).toBe(0)
  })

  it('failures at the same moment are all counted', async () => {
    await Promise.all(Array.from({ length: 12 }, fail))
    const row = await app()
      .db.read.selectFrom('login_attempts')
      .selectAll()
      .where('subject', '=', `account:${email}`)
      .executeTakeFirst()
    expect(row?.failures).toBe(12)
    expect(await waiting()).toBe(128)
  })

  it('one address gets no more than twenty device codes a minute', async () => {
    const ask = () => countDeviceCode(app().db, app().clock, '203.0.113.1')
    for (let codes = 1; codes <= 20; codes += 1) await ask()
    await expect(ask()).rejects.toMatchObject({ status: 429 })
    expect(await waiting({ address: '203.0.113.1' })).toBe(0)
  })

  it('the housekeeper removes only counters that mean nothing any more', async () => {
    await fail()
    app().wait(DAY + 1)
    await recordFailure(app().db, app().clock, { address: '203.0.113.1' })
    await deleteQuietAttempts(app().db, app().clock)
    const rows = await app().db.read.selectFrom('login_attempts').select('subject').execute()
    expect(rows).toEqual([{ subject: 'address:203.0.113.1' }])
  })
})
