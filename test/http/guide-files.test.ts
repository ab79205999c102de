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
  writeFileSync(join(folder, 'index.html'), '<script src="/x.js"></script>')
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

it('no inline script of a page may run', async () => {
  buildGuide()
  const page = await guideFiles(folder)({ url: '/guide/', headers: asBrowser })
  const policy = String(page?.headers?.['content-security-policy'])
  expect(policy).toContain("script-src 'self';")
  expect(policy).not.toContain('unsafe')
})
