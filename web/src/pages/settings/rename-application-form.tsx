import type { FormEvent } from 'react'
import type { Workspace } from '../../api/generated/api.ts'
import { useUpdateWorkspace } from '../../api/workspaces-query.ts'
import { Button } from '../../ui/button.tsx'
import { Notice } from '../../ui/notice.tsx'
import { TextAreaField } from '../../ui/text-area-field.tsx'
import { TextField } from '../../ui/text-field.tsx'
import { showToast } from '../../ui/toast-store.ts'
import { ErrorReport } from '../shell/error-report.tsx'
import { readText } from '../shell/read-text.ts'
import { missingRole } from '../shell/roles.ts'
import { useMe } from '../shell/use-application.ts'

export function RenameApplicationForm({ application }: { application: Workspace }) {
  const update = useUpdateWorkspace(application.id)
  const disabledReason = missingRole(useMe(), 'admin', 'Changing these settings')
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault()
    if (disabledReason) return
    const form = new FormData(event.currentTarget)
    const changed = { name: readText(form, 'name'), description: readText(form, 'description') || null }
    update.mutate(changed, { onSuccess: () => showToast({ tone: 'good', message: 'Saved.' }) })
  }
  const readOnly = disabledReason !== undefined
  return (
    <form method="post" onSubmit={submit} className="flex flex-col gap-5">
      <TextField
        label="Name"
        name="name"
        defaultValue={application.name}
        readOnly={readOnly}
        required
        pattern=".*\S.*"
        autoComplete="off"
      />
      <TextAreaField
        label="Description"
        name="description"
        defaultValue={application.description ?? ''}
        readOnly={readOnly}
        isOptional
      />
      {disabledReason && <Notice>{disabledReason}</Notice>}
      <ErrorReport error={update.error} />
      <div>
        <Button type="submit" look="primary" isBusy={update.isPending} disabledReason={disabledReason}>
          Save changes
        </Button>
      </div>
    </form>
  )
}
