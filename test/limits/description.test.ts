import { expect, it } from 'vitest'
import { describeEachEngine } from '../harness/each-engine.ts'
import { ROUTES } from '../isolation/route-requests.ts'

describeEachEngine('GET /openapi.json', (app) => {
  it('is built once: it is public, and building it needs longer than most requests', async () => {
    const route = ROUTES.find(({ path }) => path === '/openapi.json')
    const context = {
      db: app().storage,
      clock: app().clock,
      newId: () => '',
      requestId: '',
      address: '',
      signal: new AbortController().signal,
      page: { limit: 0, offset: 0 },
    }
    const [first, second] = [await route?.handle(context), await route?.handle(context)]
    expect(first?.body).toBeDefined()
    expect(second?.body).toBe(first?.body)
    expect(Object.keys((await app().anonymous.get('/openapi.json')).body)).toContain('paths')
  })
})
