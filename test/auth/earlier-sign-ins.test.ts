import { expect, it } from 'vitest'
import { hashPassword } from '../../src/auth/accounts/passwords.ts'
import { describeOnEachEngine, PASSWORD } from '../harness/auth-app.ts'
import { totpCode } from '../harness/totp.ts'

const ANN = 'ann@example.com'
const USER_ID = '01a1ecbb-091f-7052-852f-6dc01723d3ea'
const AT = '2026-11-18T03:38:22.975Z'
const LATER = '2026-11-19T03:38:22.975Z'

/** What better-auth 1.7.7 wrote with the secrets of the test's server: rows, cookies, the address for the app, and a recovery code. */
const STORED = {
  secret:
    'v1.3b318e8a3f3d.DqakXQHCy14abh9rKT0mA5PeoQ0jKUfdDWNUeH7g1t5CBeZht-eP2F087PxKRE08NFS1S1iSupTVtyB1DlPm_8BuG8PgrZScrHgBN4jCWOiYZWO1L5TtCwlyhdLeNxuGQDnhz_0qeX9pIPb5_z4-MffGrQFL9NyUbo1sme9vTOg_lDtTMa-i_i1P63ukYtbCP_hliuwW6SV_4MC0f7sQ37OiGFpNg99P913nVWi8zY0IjQ',
  backupCodes:
    'v1.3b318e8a3f3d.-t3pfbQ8G_i_IFjPdUp42c7J3b1LLqlhT4HStPnCK5HMWu7wAvAdfrb47Ijf82XymQjBdkUirBpLnq845RZQ7NfqEEFMVQnWhj8d-OIpFstya1r6gBGTgKQaFgP7TWurdwp4Ijk9YJMKtmJxdcsmUGZfZDb0aJzY6-of39eLk3pbgDuT81iaSocAd-3b7WAgOvr3rwqrbHuDpOivIGmzLFaSrY6vA7ED0Q',
  tokenHash: 'a54db0ebce8807b43f6217d451886aaa2a1ef5713d76b5b899e87b66dfb78e43',
  trust: 'trust-device-dthjuzWVg_xklFsIL1mmRYlOC7KEX3eq',
  challenge: '2fa-sTqnSoB3f5-Yk8aGjOhU',
}
const SESSION =
  '__Host-session=LZEuT7zic_PhSlEsROPUy8l3sNH5hHBVIydUVHLIPyk.GZSTwEfRPJjgSSBxgcSFZX7D7%2BLjbZUk09yloP98H2U%3D'
const TRUST =
  '__Host-trusted-device=utXcZBm22ZCfdX8D93tGnKkoAj0jd2YGnyCkF_dsSEg!trust-device-dthjuzWVg_xklFsIL1mmRYlOC7KEX3eq.alGOEtv0ysDJ9LuTlchit11dwtXxJjyR9QWqcc8RWuo%3D'
const CHALLENGE = '2fa-sTqnSoB3f5-Yk8aGjOhU.DDsw2dcSvtqcRjQDOtFI%2FSniNuE4VoeCseJVBklL%2BLc%3D'
const URI =
  'otpauth://totp/Touchstone:ann%40example.com?secret=NBUTI4SLOFYDASTBIFPVCOCGPBGUUQZXO5KHES2HNVGXC5JNKVRQ&issuer=Touchstone&digits=6&period=30'
const RECOVERY_CODE = 'G08Tr-I0K0L'

describeOnEachEngine('an account of better-auth', (app) => {
  it('keeps its session, its trusted device, its second factor and its recovery codes', async () => {
    app().wait(Date.parse(AT) - app().clock.now())
    await insertAccount()
    const session = await app().get('get-session', { headers: { cookie: SESSION } })
    expect(session.body.user).toMatchObject({ id: USER_ID })
    const verify = (challenge: unknown, code: string) => app().post('two-factor/verify', { challenge, code })
    expect((await verify(CHALLENGE, totpCode(URI, app().clock.now()))).status).toBe(200)
    const signIn = (headers = {}) => app().post('sign-in/email', { email: ANN, password: PASSWORD }, { headers })
    expect((await signIn({ cookie: TRUST })).body).toHaveProperty('token')
    expect((await verify((await signIn()).body.challenge, RECOVERY_CODE)).status).toBe(200)
    expect((await verify((await signIn()).body.challenge, RECOVERY_CODE)).status).toBe(401)
  })

  async function insertAccount(): Promise<void> {
    const password = await hashPassword(PASSWORD)
    const { db, newId } = app()
    const times = { created_at: AT, updated_at: AT }
    const tokens = { access_token: null, refresh_token: null, id_token: null, scope: null }
    const expiries = { access_token_expires_at: null, refresh_token_expires_at: null }
    const verification = (identifier: string) => {
      return { id: newId(), identifier, value: USER_ID, expires_at: LATER, ...times }
    }
    await db.transaction(async (tx) => {
      const user = { id: USER_ID, email: ANN, name: 'Ann', email_verified: 0, image: null, two_factor_enabled: 1 }
      await tx
        .insertInto('users')
        .values({ ...user, ...times })
        .execute()
      const account = { id: newId(), user_id: USER_ID, account_id: USER_ID, provider_id: 'credential', password }
      await tx
        .insertInto('accounts')
        .values({ ...account, ...tokens, ...expiries, ...times })
        .execute()
      const factor = { secret: STORED.secret, backup_codes: STORED.backupCodes, verified: 1 }
      await tx
        .insertInto('two_factors')
        .values({ id: newId(), user_id: USER_ID, ...factor })
        .execute()
      const session = { user_id: USER_ID, token_hash: STORED.tokenHash, ip_address: '192.0.2.1', user_agent: '' }
      await tx
        .insertInto('sessions')
        .values({ id: newId(), ...session, expires_at: LATER, ...times })
        .execute()
      await tx
        .insertInto('verifications')
        .values([verification(STORED.trust), verification(STORED.challenge)])
        .execute()
    })
  }
})
