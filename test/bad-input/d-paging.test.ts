/** Section D of the list of bad input: paging, on every list there is. */
import { describe, expect, it } from 'vitest'
import { expectError } from '../conformance/answer-forms.ts'
import { LISTS, pathOf, sharedChain } from '../conformance/operations.ts'
import { personWith } from '../conformance/team.ts'
import { describeEachEngine } from '../harness/each-engine.ts'
import { rawRequest, sendRaw } from '../harness/raw-socket.ts'

const REFUSED = [
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
    const OWN_LISTS = [
      '/workspaces',
      '/ai-applications',
      '/api-keys',
      '/members',
      '/members/directory',
      '/audit-log',
      '/prices',
      '/connections',
      '/traces',
      '/views',
    ]
    /** As an empty page is written; a list of traces also tells how many there are, and their older name. */
    const EMPTY: Record<string, string> = { '/traces': '{"data":[],"total":0,"traces":[]}' }

    describe.each(LISTS.filter(({ auth }) => auth !== 'session'))('GET $template', (operation) => {
      it('55, 56, 57, 59, 60, 62, 63: a limit or offset that is no plain number in range is 400 and is named', async () => {
        const { key, ids } = await sharedChain(app())
        const path = pathOf(operation, ids)
        for (const query of REFUSED) {
          const headers = ['Host: localhost', `Authorization: Bearer ${key}`]
          const answer = await sendRaw(app().url, rawRequest(`GET /api/v1${path}?${query}`, headers))
          expectError(answer, 400, query.startsWith('limit') ? /limit/ : /offset/)
        }
      })

      it('58: what is not ours to know is ignored', async () => {
        const { client, ids } = await sharedChain(app())
        const path = pathOf(operation, ids)
        const plain = await client.get(path)
        for (const query of [
          'limit[]=5',
          'foo=1',
          'Limit=0',
          'LIMIT=abc',
          '__proto__=1',
          'constructor=1',
          '&&&',
          '=',
          '%00',
        ]) {
          const { status, text } = await client.get(`${path}?${query}`)
          expect({ query, status, text }).toEqual({ query, status: 200, text: plain.text })
        }
      })

      it('61: an offset beyond the end is an empty list', async () => {
        const { client, ids } = await sharedChain(app())
        const path = pathOf(operation, ids)
        for (const query of ['offset=2147483647', 'offset=1000', 'limit=100&offset=2147483647'])
          expect((await client.get(`${path}?${query}`)).text).toBe('{"data":[]}')
      })
    })

    it.each(OWN_LISTS)('55 to 63: the same holds for GET %s', async (path) => {
      const { workspaceId } = await app().newWorkspace()
      const browser = app().asPerson(await personWith(app(), workspaceId, 'owner'), workspaceId)
      for (const query of ['limit=0', 'limit=101', 'limit=1e1', 'limit=05', 'limit=5&limit=6', 'limit=%E0%A4%A'])
        expectError(await browser.get(`${path}?${query}`), 400, /limit/)
      for (const query of ['offset=-1', 'offset=9223372036854775808', 'offset=NaN', 'offset='])
        expectError(await browser.get(`${path}?${query}`), 400, /offset/)
      expect((await browser.get(`${path}?offset=2147483647`)).text).toBe(EMPTY[path] ?? '{"data":[]}')
      // A list with filters of its own refuses what it does not know: a mistyped filter would show everything.
      expect((await browser.get(`${path}?limit[]=5&foo=1`)).status).toBe(
        ['/traces', '/audit-log'].includes(path) ? 400 : 200,
      )
    })

    it('55 to 63: the same holds for what is told of a trace span by span', async () => {
      const { client, ids } = await sharedChain(app())
      const traceId = await client.create(`/components/${ids.component}/traces`, { name: 'a', metadata: { a: 1 } })
      const path = `/traces/${traceId}/mapping`
      for (const query of REFUSED.filter((refused) => !refused.includes('%E0%A4%A')))
        expectError(await client.get(`${path}?${query}`), 400, query.startsWith('limit') ? /limit/ : /offset/)
      expect((await client.get(`${path}?offset=1`)).text).toBe('{"data":[]}')
      expect((await client.list(`${path}?limit=1`)).length).toBeGreaterThan(0)
    })
  },
  { works: false },
)
