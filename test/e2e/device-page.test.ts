// @module-tag deep
import { expect, it } from 'vitest'
import { PASSWORD } from '../harness/test-app.ts'
import { describePages, fillSignIn, newOwner } from './describe-pages.ts'

const DEVICE_GRANT = 'urn:ietf:params:oauth:grant-type:device_code'

describePages('device page', (app, open) => {
  async function startLogin() {
    const { body } = await app().anonymous.post('/api/auth/device/code', {
      client_id: 'touchstone-cli',
      device_name: 'build-7',
    })
    const grant = { grant_type: DEVICE_GRANT, device_code: body.device_code, client_id: 'touchstone-cli' }
    return {
      link: String(body.verification_uri_complete),
      userCode: String(body.user_code),
      askForToken: () => app().anonymous.post('/api/auth/device/token', grant),
    }
  }

  it('an approved command line gets the key that the user chose, and no more', async () => {
    const first = await app().newWorkspace('First')
    const { workspaceId } = await app().newWorkspace('Second')
    const person = await app().newPerson([
      { workspaceId: first.workspaceId, role: 'owner' },
      { workspaceId, role: 'editor' },
    ])
    const page = await open(app().url)
    const { link, userCode, askForToken } = await startLogin()
    await page.goto(link)
    await fillSignIn(page, person.email, PASSWORD)
    await page.getByRole('heading', { name: 'Connect the command line' }).waitFor()
    await page.getByText(person.email).waitFor()
    await page.getByText(userCode, { exact: true }).waitFor()
    await page.getByText('CLI on build-7').waitFor()
    await page.getByRole('combobox', { name: 'Application' }).selectOption('Second')
    await page.getByRole('combobox', { name: 'Role' }).selectOption('viewer')
    await page.getByRole('button', { name: 'Approve' }).click()
    await page.getByRole('heading', { name: 'The command line is connected' }).waitFor()

    const granted = await askForToken()
    expect(granted).toMatchObject({ status: 200, body: { token_type: 'Bearer', workspace_name: 'Second' } })
    const key = app().withKey(String(granted.body.access_token))
    expect((await key.get('/me')).body).toMatchObject({
      kind: 'api-key',
      email: person.email,
      role: 'viewer',
      workspaceId,
    })
    expect((await key.post('/components', { name: 'x' })).status).toBe(403)
  })

  it('a denied command line gets no token', async () => {
    const { person } = await newOwner(app())
    const page = await open(app().url, { person })
    const { link, askForToken } = await startLogin()
    await page.goto(link)
    await page.getByRole('button', { name: 'Deny' }).click()
    await page.getByRole('heading', { name: 'The login was denied' }).waitFor()
    expect(await askForToken()).toMatchObject({ status: 400, body: { error: 'access_denied' } })
  })

  it('a code can be typed by hand: in small letters, and with the dash that the field suggests', async () => {
    const { person } = await newOwner(app())
    const page = await open(app().url, { person })
    const { userCode, askForToken } = await startLogin()
    for (const typed of [userCode.toLowerCase(), `${userCode.slice(0, 4)}-${userCode.slice(4)}`]) {
      await page.goto('/device')
      await page.getByRole('textbox', { name: 'Code' }).fill(typed)
      await page.getByRole('button', { name: 'Continue' }).click()
      await page.getByRole('button', { name: 'Approve' }).waitFor()
    }
    await page.getByRole('button', { name: 'Approve' }).click()
    await page.getByRole('heading', { name: 'The command line is connected' }).waitFor()
    expect(await askForToken()).toMatchObject({ status: 200 })
  })

  it('rejects an unknown code before it can be approved', async () => {
    const { person } = await newOwner(app())
    const page = await open(app().url, { person, complaints: [/^answer: 400 GET \/api\/auth\/device$/] })
    await page.goto('/device?user_code=ZZZZZZZZ')
    await page.getByRole('heading', { name: 'This code does not work' }).waitFor()
    await page.getByRole('link', { name: 'Enter another code' }).click()
    await page.getByRole('textbox', { name: 'Code' }).waitFor()
    expect(await page.getByRole('button', { name: 'Approve' }).count()).toBe(0)
  })
})
