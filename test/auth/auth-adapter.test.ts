import { twoFactor } from 'better-auth/plugins/two-factor'
import { expect, it } from 'vitest'
import { hashSecret } from '../../src/auth/api-keys/api-key-format.ts'
import { authAdapter, authTables, secondFactorTables } from '../../src/auth/sign-in/auth-adapter.ts'
import { type AuthApp, describeOnEachEngine } from '../harness/auth-app.ts'

type User = { id: string; email: string; name: string; emailVerified: boolean; createdAt: Date }
type Session = { id: string; userId: string; token: string; expiresAt: Date }
type Verification = { id: string; identifier: string; value: string }
type SecondFactor = { id: string; secret: string; failedVerificationCount: number }

function adapterOf({ db, clock, newId, sealer }: AuthApp) {
  return authAdapter(
    db,
    clock,
    sealer,
  )({
    ...authTables,
    advanced: { database: { generateId: () => newId() } },
    plugins: [twoFactor({ schema: secondFactorTables })],
  })
}

describeOnEachEngine("the authentication library's adapter", (app) => {
  const soon = () => new Date(app().clock.now() + 60_000)

  async function seedUsers() {
    const adapter = adapterOf(app())
    for (const [index, name] of ['Ann', 'bob', 'Cy_d', 'dan'].entries()) {
      const at = new Date(app().clock.now() + index)
      const data = { email: `${name}@x.org`, name, emailVerified: index > 1, createdAt: at, updatedAt: at }
      await adapter.create({ model: 'user', data })
    }
    return adapter
  }

  async function names(where: Parameters<ReturnType<typeof adapterOf>['findMany']>[0]['where']) {
    const users = await adapterOf(app()).findMany<User>({ model: 'user', ...(where && { where }) })
    return users.map(({ name }) => name).sort()
  }

  it('a record comes back as it was given, and is kept in our own forms', async () => {
    const adapter = await seedUsers()
    const found = await adapter.findOne<User>({ model: 'user', where: [{ field: 'email', value: 'dan@x.org' }] })
    expect(found).toMatchObject({ name: 'dan', emailVerified: true, createdAt: expect.any(Date) })
    const row = await app().db.read.selectFrom('users').selectAll().where('name', '=', 'dan').executeTakeFirst()
    expect(row?.email_verified).toBe(1)
    expect(row?.created_at).toBe(found?.createdAt.toISOString())
  })

  it('every comparison finds what it says, on both engines alike', async () => {
    await seedUsers()
    expect(await names([{ field: 'name', value: 'bob' }])).toEqual(['bob'])
    expect(await names([{ field: 'name', operator: 'ne', value: 'bob' }])).toEqual(['Ann', 'Cy_d', 'dan'])
    expect(await names([{ field: 'name', operator: 'in', value: ['Ann', 'dan'] }])).toEqual(['Ann', 'dan'])
    expect(await names([{ field: 'name', operator: 'in', value: [] }])).toEqual([])
    expect(await names([{ field: 'name', operator: 'not_in', value: ['Ann', 'dan'] }])).toEqual(['Cy_d', 'bob'])
    expect(await names([{ field: 'name', operator: 'contains', value: '_' }])).toEqual(['Cy_d'])
    expect(await names([{ field: 'name', operator: 'starts_with', value: 'da' }])).toEqual(['dan'])
    expect(await names([{ field: 'name', operator: 'starts_with', value: 'DA' }])).toEqual([])
    expect(await names([{ field: 'name', operator: 'starts_with', value: 'DA', mode: 'insensitive' }])).toEqual(['dan'])
    expect(await names([{ field: 'name', operator: 'contains', value: 'longer than any' }])).toEqual([])
    expect(await names([{ field: 'name', operator: 'ends_with', value: 'longer than any' }])).toEqual([])
    expect(await names([{ field: 'name', operator: 'ends_with', value: 'n' }])).toEqual(['dan', 'Ann'].sort())
    expect(await names([{ field: 'name', value: 'ANN', mode: 'insensitive' }])).toEqual(['Ann'])
    expect(await names([{ field: 'emailVerified', value: true }])).toEqual(['Cy_d', 'dan'])
    expect(await names([{ field: 'image', value: null }])).toHaveLength(4)
    expect(await names([{ field: 'image', operator: 'ne', value: null }])).toEqual([])
    const second = new Date(app().clock.now() + 1)
    for (const [operator, expected] of [
      ['lt', 1],
      ['lte', 2],
      ['gt', 2],
      ['gte', 3],
    ] as const) {
      expect(await names([{ field: 'createdAt', operator, value: second }])).toHaveLength(expected)
    }
  })

  it('conditions joined by OR are alternatives within those joined by AND', async () => {
    await seedUsers()
    const either = [
      { field: 'name', value: 'Ann', connector: 'OR' },
      { field: 'name', value: 'dan', connector: 'OR' },
    ] as const
    expect(await names([...either])).toEqual(['Ann', 'dan'])
    expect(await names([{ field: 'emailVerified', value: true }, ...either])).toEqual(['dan'])
  })

  it('lists are sorted, cut and counted', async () => {
    const adapter = await seedUsers()
    const sortBy = { field: 'createdAt', direction: 'desc' } as const
    const page = await adapter.findMany<User>({ model: 'user', sortBy, limit: 2, offset: 1 })
    expect(page.map(({ name }) => name)).toEqual(['Cy_d', 'bob'])
    expect(await adapter.count({ model: 'user' })).toBe(4)
    expect(await adapter.count({ model: 'user', where: [{ field: 'emailVerified', value: true }] })).toBe(2)
  })

  it('an update of one changes one, an update of many tells how many', async () => {
    const adapter = await seedUsers()
    const where = [{ field: 'emailVerified', value: false }]
    expect(await adapter.update<User>({ model: 'user', where, update: { name: 'Eve' } })).toMatchObject({ name: 'Eve' })
    expect(await names([{ field: 'name', value: 'Eve' }])).toEqual(['Eve'])
    expect(await adapter.updateMany({ model: 'user', where, update: { name: 'Eve' } })).toBe(2)
    expect(await adapter.deleteMany({ model: 'user', where })).toBe(2)
    await adapter.delete({ model: 'user', where: [{ field: 'name', value: 'dan' }] })
    expect(await names(undefined)).toEqual(['Cy_d'])
  })

  it('a session token is hashed in what is written and in every condition, and only whoever knows it gets it back', async () => {
    const adapter = adapterOf(app())
    const { id: userId } = await app().addAccount('ann@example.com')
    const data = { userId, token: 'plain', expiresAt: soon(), createdAt: soon(), updatedAt: soon() }
    const created = await adapter.create<Omit<Session, 'id'>, Session>({ model: 'session', data })
    expect(created.token).toBe('plain')
    const byToken = [{ field: 'token', value: 'plain' }]
    expect(await adapter.findOne<Session>({ model: 'session', where: byToken })).toMatchObject({
      token: 'plain',
      userId,
    })
    const [listed] = await adapter.findMany<Session>({ model: 'session', where: [{ field: 'userId', value: userId }] })
    expect(listed).toMatchObject({ id: created.id, token: '' })
    const stolen = [{ field: 'token', value: hashSecret('plain') }]
    expect(await adapter.findOne<Session>({ model: 'session', where: stolen })).toBeNull()
    await adapter.update({ model: 'session', where: byToken, update: { token: 'other' } })
    const among = [{ field: 'token', operator: 'in' as const, value: ['other', 'unknown'] }]
    expect(await adapter.count({ model: 'session', where: among })).toBe(1)
    await adapter.delete({ model: 'session', where: [{ field: 'token', value: 'other' }] })
    expect(await adapter.count({ model: 'session' })).toBe(0)
  })

  it('a record can be consumed once, however many ask at the same moment', async () => {
    const adapter = adapterOf(app())
    const at = new Date(app().clock.now())
    const data = { identifier: 'sign-in', value: 'plain', expiresAt: soon(), createdAt: at, updatedAt: at }
    await adapter.create({ model: 'verification', data })
    const where = [{ field: 'identifier', value: 'sign-in' }]
    const claims = await Promise.all(
      Array.from({ length: 8 }, () => adapter.consumeOne<Verification>({ model: 'verification', where })),
    )
    expect(claims.filter((claim) => claim !== null)).toEqual([expect.objectContaining({ value: 'plain' })])
  })

  it('concurrent changes of one record lose no step, and a condition holds for one of them only', async () => {
    const adapter = adapterOf(app())
    const { id: userId } = await app().addAccount('a@x.org')
    const data = { userId, secret: 'plain', backupCodes: '[]', verified: false, failedVerificationCount: 0 }
    await adapter.create({ model: 'twoFactor', data })
    const model = 'twoFactor'
    const ofUser = [{ field: 'userId', value: userId }]
    const step = () =>
      adapter.incrementOne<SecondFactor>({ model, where: ofUser, increment: { failedVerificationCount: 2 } })
    const steps = await Promise.all(Array.from({ length: 5 }, step))
    expect(Math.max(...steps.map((row) => row?.failedVerificationCount ?? 0))).toBe(10)
    const unverified = [...ofUser, { field: 'verified', value: false }]
    const claim = () =>
      adapter.incrementOne<SecondFactor>({ model, where: unverified, increment: {}, set: { verified: true } })
    const claims = await Promise.all(Array.from({ length: 3 }, claim))
    expect(claims.filter((claim) => claim !== null)).toHaveLength(1)
  })
})
