/** What changes while a password is checked. The change begins with the hash of the password, and the guarantee holds in every order. */
import { createHook } from 'node:async_hooks'
import { expect, it } from 'vitest'
import { setPassword } from '../../src/auth/accounts/accounts.ts'
import { disableAccount } from '../../src/auth/accounts/manage-accounts.ts'
import { hashPassword } from '../../src/auth/accounts/passwords.ts'
import { NIL_ID } from '../../src/base/ids.ts'
import { describeOnEachEngine, PASSWORD } from '../harness/auth-app.ts'
import { totpCode } from '../harness/totp.ts'

const ANN = 'ann@example.com'
const RESET = 'a password of the reset'

describeOnEachEngine('while a password is checked', (app) => {
  const signIn = (password = PASSWORD) => app().post('sign-in/email', { email: ANN, password })
  const countSessions = async () => (await app().db.read.selectFrom('sessions').select('id').execute()).length

  async function resetOf(userId: string) {
    const passwordHash = await hashPassword(RESET)
    const { clock, newId } = app()
    return () => app().db.transaction((tx) => setPassword({ tx, clock, newId }, userId, passwordHash))
  }

  it('a new password leaves no session of someone who knows the old one', async () => {
    const { id } = await app().addAccount(ANN)
    await duringHash(await resetOf(id), () => signIn())
    expect(await countSessions()).toBe(0)
    expect((await signIn(RESET)).status).toBe(200)
  })

  it('an account that is disabled gets no session', async () => {
    await app().addAccount(ANN)
    const { clock, newId, db } = app()
    const by = { kind: 'command-line', userId: NIL_ID } as const
    const work = { by, clock, newId, address: '192.0.2.1', requestId: 'request-1' }
    await duringHash(
      () => db.transaction((tx) => disableAccount({ ...work, tx }, ANN)),
      () => signIn(),
    )
    expect(await countSessions()).toBe(0)
  })

  it('a second factor that is turned on leaves no session without it', async () => {
    await app().addAccount(ANN)
    const { cookie: headers } = await app().signIn(ANN)
    const { body } = await app().post('two-factor/enable', { password: PASSWORD }, { headers })
    const code = totpCode(String(body.totpUri), app().clock.now())
    await duringHash(
      () => app().post('two-factor/confirm', { code }, { headers }),
      () => signIn(),
    )
    expect(await countSessions()).toBe(1)
  })

  it('the password of a reset link is not replaced by someone who knows the old one', async () => {
    const { id } = await app().addAccount(ANN)
    const { cookie: headers } = await app().signIn(ANN)
    const change = { currentPassword: PASSWORD, newPassword: 'a password of the attacker' }
    await duringHash(await resetOf(id), () => app().post('change-password', change, { headers }))
    expect(await countSessions()).toBe(0)
    expect((await signIn(RESET)).status).toBe(200)
  })
})

/** Runs `change` when `request` begins to hash a password, and finishes both. */
async function duringHash(change: () => Promise<unknown>, request: () => Promise<unknown>): Promise<void> {
  let changed: Promise<unknown> | undefined
  const hook = createHook({
    init(_id, type) {
      if (type === 'ARGON2REQUEST')
        changed ??= new Promise((resolve, reject) => {
          setImmediate(() => change().then(resolve, reject))
        })
    },
  }).enable()
  await request()
  hook.disable()
  expect(changed).toBeDefined()
  await changed
}
