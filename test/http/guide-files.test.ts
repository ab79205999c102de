import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, expect, it } from 'vitest'
import { guideFiles } from '../../src/http/guide-files.ts'
import { PreparedBody } from '../../src/http/prepared-body.ts'

const folder = mkdtempSync(join(tmpdir(), 'touchstone-guide-'))
afterEach(() => rmSync(folder, { recursive: true, force: true }))

const asBrowser = { accept: 'text/html' }

function buildGuide(): void {
  mkdirSync(join(folder, 'traces'), { recursive: true })
  writeFileSync(
    join(folder, 'index.html'),
    '<script>one()</script><script src="/x.js"></script><script id="a">two()</script>',
  )
  writeFileSync(join(folder, 'traces/index.html'), '<p>Traces</p>')
  writeFileSync(join(folder, 'traces.md'), '# Traces\n')
  writeFileSync(join(folder, '404.html'), '<p>Not here</p>')
  writeFileSync(join(folder, 'llms.txt'), '# Touchstone\n')
}

it('a guide that is not built is a 404 with the command that builds it, for people and for programs', async () => {
  const serve = guideFiles(folder)
  for (const url of ['/guide', '/guide/', '/guide/traces/', '/llms.txt']) {
    const page = await serve({ url, headers: asBrowser })
    expect(page?.status).toBe(404)
    expect(String(page?.body)).toContain('npm run build:guide')
    await expect(serve({ url, headers: {} })).rejects.toMatchObject({
      status: 404,
      message: expect.stringContaining('npm run build:guide'),
    })
  }
})

it('a guide that is built later is served without a restart', async () => {
  const serve = guideFiles(folder)
  expect((await serve({ url: '/guide/', headers: asBrowser }))?.status).toBe(404)
  buildGuide()
  expect((await serve({ url: '/guide/', headers: asBrowser }))?.status).toBe(200)
})

it('addresses of pages get their slash, with the query, and Markdown its type', async () => {
  buildGuide()
  const serve = guideFiles(folder)
  const redirected = async (url: string) => (await serve({ url, headers: asBrowser }))?.headers?.['location']
  expect(await redirected('/guide')).toBe('/guide/')
  expect(await redirected('/guide/traces?a=b')).toBe('/guide/traces/?a=b')
  const markdown = await serve({ url: '/guide/traces.md', headers: {} })
  expect(markdown?.headers?.['content-type']).toBe('text/markdown; charset=utf-8')
  expect((await serve({ url: '/llms.txt', headers: {} }))?.status).toBe(200)
})

it('a path that is no page is a 404, for browsers with the page for it', async () => {
  buildGuide()
  const serve = guideFiles(folder)
  const page = await serve({ url: '/guide/no-such-page', headers: asBrowser })
  expect(page?.status).toBe(404)
  expect(page?.body instanceof PreparedBody && String(page.body.bytes)).toBe('<p>Not here</p>')
  await expect(serve({ url: '/guide/../package.json', headers: {} })).rejects.toMatchObject({ status: 404 })
})

it('only the inline scripts of a page may run on it', async () => {
  buildGuide()
  const serve = guideFiles(folder)
  const policyOf = async (url: string) =>
    String((await serve({ url, headers: asBrowser }))?.headers?.['content-security-policy'])
  const [, sources] = /script-src ([^;]+);/.exec(await policyOf('/guide/')) ?? []
  // printf 'one()' | openssl dgst -sha256 -binary | base64
  expect(sources?.split(' ')).toEqual([
    "'self'",
    "'wasm-unsafe-eval'",
    "'sha256-HR7iaask9daLMRRskMI++QeJtjWDOjyPA6lGzYGzKW4='",
    "'sha256-iMrPAWirDC2X0OhZzLsM2MRIWSmepJGI4r7D8ZlwBOw='",
  ])
  expect(await policyOf('/guide/traces/')).toContain("script-src 'self' 'wasm-unsafe-eval';")
})

it('other paths are left to the interface', async () => {
  buildGuide()
  const serve = guideFiles(folder)
  for (const url of ['/', '/guidelines', '/docs', '/assets/index.js'])
    expect(await serve({ url, headers: asBrowser })).toBeUndefined()
})
