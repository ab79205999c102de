import { beforeAll, expect, it } from 'vitest'
import { insertMember } from '../../src/auth/members/member-queries.ts'
import { timestamp } from '../../src/base/clock.ts'
import { isAtLeast, ROLES, type Role } from '../../src/base/principal.ts'
import type { Route } from '../../src/http/route.ts'
import type { Client } from '../harness/client.ts'
import { describeEachEngine } from '../harness/each-engine.ts'
import type { Person } from '../harness/test-app.ts'
import { type Ids, missingIds, nameOf, ROUTES, requestOf } from './route-requests.ts'

/** The caller is no member afterwards, which the other tests require. */
const LEAVING = 'DELETE /members/me'

const withRole = ROUTES.flatMap((route) => ('role' in route.access ? [{ route, declared: route.access.role }] : []))

/** The roles that the documents give: members have keys of their own, admins decide on members, models and what is kept, and owners on deleting everything. */
function documentedRole({ method, path }: Route): Role {
  if (nameOf({ method, path }) === 'DELETE /workspaces/:workspaceId') return 'owner'
  if (/^\/(api-keys|members\/(me|directory)$|views)/.test(path)) return 'viewer'
  if (/^\/(members|audit-log|instance\/(health|allowed-targets)|security-settings|workspaces\/)/.test(path))
    return 'admin'
  if (path.startsWith('/connections')) return method === 'GET' ? 'editor' : 'admin'
  if (path.startsWith('/endpoints')) return method === 'GET' ? 'viewer' : 'admin'
  if (/\/queue(\/(next|release|skip))?$|^\/me\/work$/.test(path)) return 'annotator'
  // Comparing several runs reads them; the request is a POST because of its list.
  if (method === 'GET' || path.endsWith('/comparisons') || path.endsWith('/render')) return 'viewer'
  if (path.endsWith('/protection')) return 'admin'
  if (['/retention', '/sharing', '/spending'].includes(path)) return 'admin'
  if (path.endsWith('/decisions/:decisionId')) return 'admin'
  if (path.endsWith('/decisions')) return 'annotator'
  return /\/annotations?(\/|$)|\/annotation-undo$|\/comments|\/preferences$/.test(path) ? 'annotator' : 'editor'
}

describeEachEngine('roles', (app) => {
  const people = new Map<Role, Person>()
  let workspaceId = ''

  beforeAll(async () => {
    const workspace = await app().newWorkspace()
    workspaceId = workspace.workspaceId
    for (const role of ROLES) people.set(role, await app().newPerson([{ workspaceId, role }]))
  })

  function personOf(role: Role): Person {
    const person = people.get(role)
    if (!person) throw new Error(`there is no person with the role ${role}`)
    return person
  }

  function as(role: Role): Client {
    return app().asPerson(personOf(role), workspaceId)
  }

  const ids = (): Ids => missingIds(workspaceId)

  it.each(withRole.map(({ route, declared }) => [nameOf(route), route, declared] as const))(
    '%s is denied to every role below the required one and to no other',
    async (_name, route, declared) => {
      expect(declared).toBe(documentedRole(route))
      // Deleting the workspace must come to pass, but not with the one that the other tests use.
      const isLast = nameOf(route) === 'DELETE /workspaces/:workspaceId'
      const target =
        isLast || nameOf(route) === LEAVING ? { ...ids(), workspaceId: await disposableWorkspace() } : ids()
      for (const role of ROLES) {
        const { method, path, ...sent } = requestOf(route, target)
        const client = app().asPerson(personOf(role), target.workspaceId)
        const { status, text, headers } = await client.send(method, path, sent)
        if (isAtLeast(role, declared)) {
          // The second to make something may find its name taken.
          const isShared = path === '/instance/allowed-targets'
          expect([200, 201, 202, 204, 404, 409, ...(isShared ? [403] : [])], `${role}: ${text}`).toContain(status)
          // It takes an admin of all applications: `allowed-targets.test.ts`.
          if (status === 403) expect(text).toContain('they require the role admin in each')
          continue
        }
        const error = `This request requires the role ${declared}; yours is ${role}`
        expect({ role, status, text }).toEqual({ role, status: 403, text: JSON.stringify({ error }) })
        expect(headers.get('content-type')).toBe('application/json; charset=utf-8')
      }
    },
  )

  async function disposableWorkspace(): Promise<string> {
    const id = await as('owner').create('/workspaces', { name: 'Disposable' })
    const createdAt = timestamp(app().clock.now())
    for (const role of ROLES.filter((name) => name !== 'owner')) {
      const member = { workspaceId: id, userId: personOf(role).userId, role, createdAt }
      await app().storage.transaction((tx) => insertMember(tx, member))
    }
    return id
  }

  it('a denied request changes nothing', async () => {
    const before = await as('owner').list('/members')
    await as('editor').patch(`/members/${personOf('editor').userId}`, { role: 'owner' })
    await as('viewer').post('/components', { name: 'Not to be' })
    expect(await as('owner').list('/members')).toEqual(before)
    expect(JSON.stringify(await as('owner').list('/components'))).not.toContain('Not to be')
  })

  it('an admin can neither add, change nor remove an owner', async () => {
    const admin = as('admin')
    const owner = personOf('owner').userId
    const answers = [
      await admin.post('/members', { email: 'new-owner@example.com', role: 'owner' }),
      await admin.patch(`/members/${personOf('admin').userId}`, { role: 'owner' }),
      await admin.patch(`/members/${owner}`, { role: 'viewer' }),
      await admin.delete(`/members/${owner}`),
    ]
    expect(answers.map(({ status }) => status)).toEqual([403, 403, 403, 403])
    expect((await admin.get('/me')).body.role).toBe('admin')
    expect((await as('owner').get('/me')).body.role).toBe('owner')
  })

  it('an annotator deletes own annotations and no others', async () => {
    const annotator = as('annotator')
    const editor = as('editor')
    const componentId = await editor.create('/components', { name: 'Annotated' })
    const datasetId = await editor.create(`/components/${componentId}/datasets`, { name: 'Annotated' })
    const runId = await editor.create(`/components/${componentId}/runs`, { datasetId })
    const annotations = `/components/${componentId}/runs/${runId}/annotations`
    const own = await annotator.create(annotations, { traceDbId: 'a' })
    const others = await editor.create(annotations, { traceDbId: 'a' })
    expect((await annotator.delete(`${annotations}/${others}`)).status).toBe(403)
    expect(await editor.list(annotations)).toHaveLength(2)
    expect((await annotator.delete(`${annotations}/${own}`)).status).toBe(204)
    expect((await editor.delete(`${annotations}/${others}`)).status).toBe(204)
  })
})
