import { Type } from 'typebox'
import { conflict, unauthorized } from '../../base/errors.ts'
import { created, ok, type Route, route } from '../../http/route.ts'
import { closed, ErrorBody, Id, NullableString, UserName } from '../../http/schemas.ts'
import { checkEmail } from '../accounts/accounts.ts'
import { checkPassword, hashPassword } from '../accounts/passwords.ts'
import { completeSetup, FIRST_NAME, isSetupNeeded } from './first-start.ts'

const tag = 'Accounts'

const Instance = closed(
  {
    version: Type.String(),
    setupNeeded: Type.Boolean(),
    signupOpen: Type.Boolean(),
    /** Whether invitations and links to reset a password are sent by e-mail. */
    sendsMail: Type.Boolean(),
    /** Whether passwords are turned off. */
    oidcOnly: Type.Boolean(),
    /** The text of the button that signs in with the provider; null if there is none. */
    oidcName: NullableString,
  },
  { title: 'Instance' },
)

/** What the sign-in page offers. */
export type SignInOptions = {
  isSignupOpen: boolean
  sendsMail: boolean
  oidcOnly: boolean
  oidcName: string | null
}

export function setupRoutes({ version, signIn }: { version: string; signIn: SignInOptions }): Route[] {
  const { isSignupOpen: signupOpen, ...options } = signIn
  return [
    route({
      method: 'GET',
      path: '/instance',
      access: { auth: 'none', reason: 'the sign-in page needs it before the user has signed in' },
      summary: 'Get the version and the sign-in options of the server',
      tag,
      responses: { 200: Instance },
      handle: async ({ db }) => ok({ version, setupNeeded: await isSetupNeeded(db.read), signupOpen, ...options }),
    }),
    route({
      method: 'POST',
      path: '/setup',
      access: { auth: 'none', reason: 'the one-time token of the set-up link is the credential' },
      summary: 'Create the first account with the token of the set-up link',
      tag,
      body: closed({
        token: Type.String({ minLength: 1, maxLength: 200 }),
        name: Type.Optional(UserName),
        email: Type.String({ minLength: 1, maxLength: 254 }),
        password: Type.String(),
      }),
      responses: { 201: closed({ userId: Id }), 401: ErrorBody },
      handle: async ({ db, body, clock, newId }) => {
        if (!(await isSetupNeeded(db.read))) throw conflict('The first account exists already; sign in instead')
        checkEmail(body.email)
        const { name = FIRST_NAME } = body
        checkPassword(body.password, { email: body.email, names: [name] })
        const passwordHash = await hashPassword(body.password)
        const userId = await db.transaction((tx) =>
          completeSetup(tx, { clock, newId }, { ...body, name, passwordHash }),
        )
        if (!userId) throw unauthorized('The set-up link is invalid or expired; restart the server to get a new one')
        return created({ userId })
      },
    }),
  ]
}
