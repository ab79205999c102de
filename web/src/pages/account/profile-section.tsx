import type { FormEvent } from 'react'
import { useRename } from '../../api/account-query.ts'
import { Button } from '../../ui/button.tsx'
import { TextField } from '../../ui/text-field.tsx'
import { showToast } from '../../ui/toast-store.ts'
import { ErrorReport } from '../shell/error-report.tsx'
import { readText } from '../shell/read-text.ts'
import { AccountSection } from './account-section.tsx'

export function ProfileSection({ name, email }: { name: string; email: string }) {
  const rename = useRename()
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault()
    rename.mutate(readText(new FormData(event.currentTarget), 'name'), {
      onSuccess: () => showToast({ tone: 'good', message: 'Your name is saved.' }),
    })
  }
  return (
    <AccountSection id="profile" text="The name that others see next to your annotations, comments and changes.">
      <form method="post" onSubmit={submit} className="flex max-w-md flex-col gap-4">
        <TextField
          label="Name"
          name="name"
          defaultValue={name}
          autoComplete="name"
          required
          maxLength={200}
          pattern=".*\S.*"
        />
        <TextField
          label="E-mail"
          type="email"
          defaultValue={email}
          readOnly
          hint="You sign in with it. It cannot be changed here."
        />
        <ErrorReport error={rename.error} />
        <div>
          <Button type="submit" isBusy={rename.isPending}>
            Save name
          </Button>
        </div>
      </form>
    </AccountSection>
  )
}
