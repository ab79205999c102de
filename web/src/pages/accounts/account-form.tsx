import type { FormEvent } from 'react'
import { Button } from '../../ui/button.tsx'
import { PasswordField } from '../../ui/password-field.tsx'
import { TextField } from '../../ui/text-field.tsx'
import { ErrorReport } from '../shell/error-report.tsx'
import { readSecret, readText } from '../shell/read-text.ts'

export interface Account {
  /** Empty if none was given, which only the first account may. */
  name: string
  email: string
  password: string
}

interface AccountFormProps {
  submitLabel: string
  /** If given, the email is shown and cannot be changed. */
  email?: string
  isNameOptional?: boolean
  isBusy: boolean
  error: Error | null
  onSubmit: (account: Account) => void
}

/** Name, email and a new password: for the first account, an invitation, and open sign-up. */
export function AccountForm({ submitLabel, email, isNameOptional = false, isBusy, error, onSubmit }: AccountFormProps) {
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault()
    const form = new FormData(event.currentTarget)
    onSubmit({
      name: readText(form, 'name'),
      email: readText(form, 'email'),
      password: readSecret(form, 'password'),
    })
  }
  const settled = email === undefined ? {} : { defaultValue: email, readOnly: true }
  return (
    <form method="post" onSubmit={submit} className="flex flex-col gap-5">
      <TextField
        label="Name"
        isOptional={isNameOptional}
        name="name"
        autoComplete="name"
        required={!isNameOptional}
        maxLength={200}
        pattern="(?!\S+@\S+$).*\S.*"
        title="Not an e-mail address"
        hint="Other members, and readers of reports that you share, see it."
      />
      <TextField label="E-mail" name="email" type="email" autoComplete="username" required {...settled} />
      <PasswordField name="password" kind="new" />
      <ErrorReport error={error} />
      <Button type="submit" look="primary" isBusy={isBusy}>
        {submitLabel}
      </Button>
    </form>
  )
}
