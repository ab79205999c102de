/** Why signing in with the provider did not work, by the code that the server puts into the address. */
const problems: Record<string, string> = {
  expired: 'The sign-in took too long, or was started in another browser. Try again.',
  denied: 'The provider did not sign you in.',
  failed:
    'The response of the provider was not valid. Try again; if it happens again, ask the operator of this server.',
  unverified: 'The provider has not verified your e-mail address.',
  domain: 'Your e-mail address belongs to a domain that may not sign in here.',
  unknown: 'You have no account here. Ask an admin of your application for an invitation to your e-mail address.',
  disabled: 'Your account is disabled. Ask the operator of this server.',
  linked:
    'The account with your e-mail address belongs to another user of the provider. Ask the operator of this server.',
}

export function describeSignInProblem(code: string): string {
  return problems[code] ?? 'Signing in did not work. Try again.'
}
