import { useQuery } from '@tanstack/react-query'
import { type FormEvent, useState } from 'react'
import { useChangePassword } from '../../api/account-query.ts'
import { instanceQuery } from '../../api/instance-query.ts'
import { secondFactorQuery } from '../../api/second-factor-query.ts'
import { Button } from '../../ui/button.tsx'
import { PasswordField } from '../../ui/password-field.tsx'
import { showToast } from '../../ui/toast-store.ts'
import { ErrorReport } from '../shell/error-report.tsx'
import { readSecret } from '../shell/read-text.ts'
import { AccountSection } from './account-section.tsx'

export function PasswordSection({ email }: { email: string }) {
  const { data: instance } = useQuery(instanceQuery)
  const { data: factor } = useQuery(secondFactorQuery)
  const isOff = instance?.oidcOnly ?? false
  if (!isOff && factor?.hasPassword !== false) return <ChangePassword email={email} />
  const reason = isOff ? 'Passwords are turned off on this server.' : 'Your account has no password.'
  return <AccountSection id="password" text={`${reason} You sign in with ${instance?.oidcName ?? 'your provider'}.`} />
}

function ChangePassword({ email }: { email: string }) {
  const change = useChangePassword()
  // A changed password leaves an empty form.
  const [round, setRound] = useState(0)
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault()
    const form = new FormData(event.currentTarget)
    const passwords = {
      currentPassword: readSecret(form, 'currentPassword'),
      newPassword: readSecret(form, 'newPassword'),
    }
    change.mutate(passwords, {
      onSuccess: () => {
        setRound(round + 1)
        showToast({ tone: 'good', message: 'Your password is changed. All your other sessions have ended.' })
      },
    })
  }
  return (
    <AccountSection id="password" text="Changing it signs you out everywhere else. Your API keys keep working.">
      <form key={round} method="post" onSubmit={submit} className="flex max-w-md flex-col gap-4">
        {/* Tells password managers which account the passwords belong to. */}
        <input type="email" name="email" autoComplete="username" value={email} readOnly hidden />
        <PasswordField label="Current password" name="currentPassword" kind="current" />
        <PasswordField label="New password" name="newPassword" kind="new" />
        <ErrorReport key={change.submittedAt} error={change.error} />
        <div>
          <Button type="submit" isBusy={change.isPending}>
            Change password
          </Button>
        </div>
      </form>
    </AccountSection>
  )
}
