// @module-tag deep
import { readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { updateFactorRequirement } from '../../src/auth/second-factor/required-factor-queries.ts'
import { PASSWORD } from '../harness/test-app.ts'
import { totpCode } from '../harness/totp.ts'
import { describePages, fillSignIn, newOwner } from './describe-pages.ts'
import { expectAccessible } from './expect-accessible.ts'

const STEP_MS = 30_000
const CODE_REJECTED = /^answer: 401 POST \/api\/auth\/two-factor\/verify$/

describePages('second factor', (app, open) => {
  it('is turned on in the account, required at the next sign-in, and replaced by a recovery code', async () => {
    const { person } = await newOwner(app())
    const page = await open(app().url, { complaints: [CODE_REJECTED] })
    await page.goto('/sign-in?next=%2Faccount')
    await fillSignIn(page, person.email, PASSWORD)
    await page.getByRole('button', { name: 'Turn on…' }).click()
    await page.getByRole('textbox', { name: 'Your password' }).fill(PASSWORD)
    await page.getByRole('button', { name: 'Continue' }).click()
    await page.getByRole('img', { name: 'QR code for your authenticator app' }).waitFor()
    const secret = await page.getByRole('status', { name: 'Secret' }).textContent()
    const codeAt = (time: number) => totpCode(`otpauth://totp/a?secret=${secret}`, time)
    const used = codeAt(Date.now())
    await page.getByRole('textbox', { name: 'Code of the app' }).fill(used)
    await page.getByRole('button', { name: 'Turn on', exact: true }).click()
    const codes = page.getByRole('list', { name: 'Recovery codes' }).getByRole('listitem')
    await codes.first().waitFor()
    const recovery = await codes.first().textContent()
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('link', { name: 'Download' }).click(),
    ])
    expect(readFileSync(await download.path(), 'utf8')).toContain(recovery)
    await page.getByRole('button', { name: 'I have saved them' }).click()
    await page.getByText('10 recovery codes are left.').waitFor()

    await page.request.post('/api/auth/sign-out', { headers: { origin: app().url }, data: {} })
    await page.goto('/sign-in?next=%2Faccount')
    await fillSignIn(page, person.email, PASSWORD)
    await page.getByRole('textbox', { name: 'Code', exact: true }).fill(used)
    await page.keyboard.press('Enter')
    await page.getByText('The code is wrong or was used before').waitFor()
    await page.getByRole('textbox', { name: 'Code', exact: true }).fill(codeAt(Date.now() + STEP_MS))
    await page.keyboard.press('Enter')
    await page.getByRole('heading', { name: 'Sessions' }).waitFor()

    await page.request.post('/api/auth/sign-out', { headers: { origin: app().url }, data: {} })
    await page.goto('/sign-in?next=%2Faccount')
    await fillSignIn(page, person.email, PASSWORD)
    await page.getByRole('button', { name: 'Use a recovery code' }).click()
    await page.getByRole('textbox', { name: 'Recovery code' }).fill(recovery ?? '')
    await page.keyboard.press('Enter')
    await page.getByText('9 recovery codes are left.').waitFor()
  })

  it('is required by an application: a member turns it on, enters, and cannot turn it off', async () => {
    const { workspaceId, person: owner } = await newOwner(app(), 'Strict')
    await app().storage.transaction((tx) => updateFactorRequirement(tx, workspaceId, true))
    const denied = /^answer: 403 GET /
    const page = await open(app().url, { complaints: [denied, /^answer: 409 POST \/api\/auth\/two-factor\/disable$/] })
    await page.goto(`/sign-in?next=%2Fa%2F${workspaceId}%2Fsettings%2Fmembers`)
    await fillSignIn(page, owner.email, PASSWORD)
    await page.getByRole('heading', { name: 'Strict requires a second factor' }).waitFor()
    await expectAccessible(page, 'factor-required')
    await page.getByRole('link', { name: 'Turn on a second factor' }).click()
    await page.getByRole('button', { name: 'Turn on…' }).click()
    await page.getByRole('textbox', { name: 'Your password' }).fill(PASSWORD)
    await page.getByRole('button', { name: 'Continue' }).click()
    const secret = await page.getByRole('status', { name: 'Secret' }).textContent()
    await page
      .getByRole('textbox', { name: 'Code of the app' })
      .fill(totpCode(`otpauth://totp/a?secret=${secret}`, Date.now()))
    await page.getByRole('button', { name: 'Turn on', exact: true }).click()
    await page.getByRole('button', { name: 'I have saved them' }).click()
    await page.goto(`/a/${workspaceId}/settings/members`)
    await page.getByText('1 member has none, and cannot enter.').waitFor()
    await expectAccessible(page, 'members')
    await page.goto('/account#second-factor')
    await page.getByRole('button', { name: 'Turn off…' }).click()
    await page.getByRole('textbox', { name: 'Your password' }).fill(PASSWORD)
    await page.getByRole('button', { name: 'Turn off', exact: true }).click()
    await page.getByText(/^The application Strict requires a second factor of its members/).waitFor()
    await page.goto(`/a/${workspaceId}/settings/members`)
    await page.getByRole('checkbox', { name: 'Require a second factor' }).uncheck()
    await page.getByText('1 member has none, and would lose access until they turn one on.').waitFor()
  })
})
