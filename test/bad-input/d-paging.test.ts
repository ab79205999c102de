/** Section D of the list of bad input: paging. The two numbers are read in one place: one list has all spellings, every list a few. */
import { beforeAll, describe, expect, it } from 'vitest'
import { expectError } from '../conformance/answer-forms.ts'
import type { Client } from '../harness/client.ts'
import { describeEachEngine } from '../harness/each-engine.ts'
import { rawRequest, sendRaw } from '../harness/raw-socket.ts'
import type { SeededWorkspace } from '../harness/test-app.ts'
import { missingIds, nameOf, ROUTES, requestOf } from '../isolation/route-requests.ts'

const LISTS = ROUTES.filter(({ paged }) => paged)

const REJECTED = [
  ...['limit=0', 'limit=101', 'limit=-1', 'limit=abc', 'limit=', 'limit'],
  ...['limit=5.5', 'limit=1e1', 'limit=0x10', 'limit=%205', 'limit=5%20', 'limit=%2B5', 'limit=+5', 'limit=05'],
  ...['limit=5&limit=6', 'limit=5&limit=5', 'offset=0&offset=0'],
  ...['offset=-1', 'offset=-0', 'offset=', 'offset=00', 'offset=1.0', 'offset=null', 'offset=true'],
  ...['offset=9223372036854775808', 'offset=2147483648', 'offset=1e308', 'offset=Infinity', 'offset=NaN'],
  ...['limit=%E0%A4%A', 'limit=%EF%BC%91%EF%BC%90', 'limit=1%00', 'limit=1%0A', 'limit=%D9%A1'],
  ...["limit=1'", 'limit=1;', 'limit=1,2', 'limit=1_0', 'limit=18446744073709551617'],
]

describeEachEngine(
  'D. Paging',
  (app) => {
    let workspace: SeededWorkspace
    let owner: Client

    beforeAll(async () => {
      workspace = await app().newWorkspace()
      const { workspaceId } = workspace
      owner = app().asPerson(await app().newPerson([{ workspaceId, role: 'owner' }]), workspaceId)
      for (const name of ['a', 'b']) await owner.create('/components', { name })
    })

    describe('GET /components', () => {
      it('55, 56, 57, 59, 60, 62, 63: a limit or offset that is no plain number in range is 400 and is named', async () => {
        for (const query of REJECTED) {
          const headers = ['Host: localhost', `Authorization: Bearer ${workspace.key}`]
          const answer = await sendRaw(app().url, rawRequest(`GET /api/v1/components?${query}`, headers))
          expectError(answer, 400, query.startsWith('limit') ? /limit/ : /offset/)
        }
      })

      it('58: unknown parameters are ignored', async () => {
        const plain = await owner.get('/components')
        for (const query of ['limit[]=5', 'LIMIT=abc', '__proto__=1', 'constructor=1', '&&&', '=', '%00']) {
          const { status, text } = await owner.get(`/components?${query}`)
          expect({ query, status, text }).toEqual({ query, status: 200, text: plain.text })
        }
      })

      it('61: an offset beyond the end is an empty list', async () => {
        for (const query of ['offset=2147483647', 'offset=1000', 'limit=100&offset=2147483647'])
          expect((await owner.get(`/components?${query}`)).text).toBe('{"data":[]}')
      })
    })

    it('55 to 63: the same holds for every list', async () => {
      for (const route of LISTS) {
        const { path } = requestOf(route, missingIds(workspace.workspaceId))
        const list = `${path}${path.includes('?') ? '&' : '?'}`
        const rejected = ['limit=0', 'limit=101', 'limit=1e1', 'limit=5&limit=6', 'offset=-1', 'offset=']
        for (const query of rejected) {
          const { status, body } = await owner.get(`${list}${query}`)
          expect({ route: nameOf(route), query, status }).toMatchObject({ query, status: 400 })
          expect(body.error).toMatch(query.startsWith('limit') ? /limit/ : /offset/)
        }
        const plain = await owner.get(path)
        const unknown = await owner.get(`${list}limit[]=5&foo=1&Limit=0`)
        // Other lists than those of the specification reject unknown parameters: a mistyped filter would return everything.
        const isRejected = !route.ignoresOtherParameters
        expect(unknown.status, nameOf(route)).toBe(isRejected ? 400 : plain.status)
        if (!isRejected) expect(unknown.text, nameOf(route)).toBe(plain.text)
        if (!route.path.includes(':'))
          expect((await owner.get(`${list}offset=2147483647`)).body.data, nameOf(route)).toEqual([])
      }
    })
  },
  { works: false },
)
