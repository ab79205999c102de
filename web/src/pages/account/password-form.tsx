import type { FormEvent } from 'react'
import { Button } from '../../ui/button.tsx'
import { DialogActions } from '../../ui/dialog.tsx'
import { PasswordField } from '../../ui/password-field.tsx'
import { ErrorReport } from '../shell/error-report.tsx'
import { readSecret } from '../shell/read-text.ts'

interface PasswordFormProps {
  text: string
  submitLabel: string
  look?: 'primary' | 'danger'
  submission: { isPending: boolean; submittedAt: number; error: Error | null }
  onSubmit: (password: string) => void
  onCancel: () => void
}

/** Asks for the password before a change that a borrowed session must not make. */
export function PasswordForm({
  text,
  submitLabel,
  look = 'primary',
  submission,
  onSubmit,
  onCancel,
}: PasswordFormProps) {
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault()
    onSubmit(readSecret(new FormData(event.currentTarget), 'password'))
  }
  return (
    <form method="post" onSubmit={submit} className="flex flex-col gap-4">
      <p className="text-soft">{text}</p>
      <PasswordField label="Your password" name="password" kind="current" />
      <ErrorReport key={submission.submittedAt} error={submission.error} />
      <DialogActions>
        <Button onClick={onCancel}>Cancel</Button>
        <Button type="submit" look={look} isBusy={submission.isPending}>
          {submitLabel}
        </Button>
      </DialogActions>
    </form>
  )
}
