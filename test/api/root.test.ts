import { expect, it } from 'vitest'
import { describeEachEngine } from '../harness/each-engine.ts'

describeEachEngine('GET /', (app) => {
  it('returns links to the API and its documentation to a program that accepts any type', async () => {
    const response = await fetch(`${app().url}/`, { headers: { accept: '*/*' } })
    expect(response.status).toBe(200)
    expect(response.headers.get('vary')).toBe('accept')
    const body: Record<string, string> = JSON.parse(await response.text())
    expect(body).toEqual({
      name: 'Touchstone',
      interface: 'Open this address in a browser',
      guide: '/guide',
      docs: '/docs',
      openapi: '/api/v1/openapi.json',
      api: '/api/v1',
    })
    expect((await fetch(`${app().url}${body['openapi']}`)).status).toBe(200)
    const docs = await fetch(`${app().url}${body['docs']}`, { headers: { accept: 'text/html' } })
    expect(docs.headers.get('content-type')).toContain('text/html')
  })

  it('is the interface for a browser, and caches distinguish the two', async () => {
    const response = await fetch(`${app().url}/`, { headers: { accept: 'text/html,*/*;q=0.8' } })
    expect(response.headers.get('content-type')).toContain('text/html')
    expect(response.headers.get('vary')).toBe('accept, accept-encoding')
  })

  it('stays the only such path: a mistyped one is a 404', async () => {
    const response = await fetch(`${app().url}/aip/v1/components`, { headers: { accept: '*/*' } })
    expect(response.status).toBe(404)
    expect(await response.json()).toEqual({ error: 'Not found' })
  })
})
