/** The response of /api/auth, which belongs to the authentication library and is not part of the API description. */
export type Session = { user: { id: string; name: string; email: string } }

/** A command-line login that waits for a decision. `address` is where it was requested. */
export type DeviceCode = { user_code: string; status: string; key_name: string; address: string | null }

export type SessionEntry = {
  id: string
  ipAddress: string | null
  userAgent: string | null
  createdAt: string
  lastUsedAt: string
  expiresAt: string
  isCurrent: boolean
}

/** With a challenge, the user must also enter a code. */
export type SignInResult = { secondFactor?: 'required'; challenge?: string }

/** An account of another provider has no password, and no second factor here. */
export type SecondFactor = { isEnabled: boolean; recoveryCodesLeft: number; hasPassword: boolean }

/** `totpUri` has the secret for the authenticator app. Both are shown once. */
export type SecondFactorSetup = { totpUri: string; recoveryCodes: string[] }
