import { useNavigate } from '@tanstack/react-router'
import { useCreateComponent } from '../../api/components-query.ts'
import { pagePaths } from '../../path-builder.ts'
import { Dialog } from '../../ui/dialog.tsx'
import { NameForm } from '../shell/name-form.tsx'

export function CreateComponentDialog({ applicationId, onClose }: { applicationId: string; onClose: () => void }) {
  const create = useCreateComponent(applicationId)
  const navigate = useNavigate()
  return (
    <Dialog title="New component" isOpen onClose={onClose}>
      <NameForm
        submitLabel="Create component"
        namePlaceholder="support-assistant"
        isBusy={create.isPending}
        error={create.error}
        onSubmit={(named) =>
          create.mutate(named, {
            onSuccess: ({ id }) => navigate({ to: pagePaths.component(applicationId, id), replace: true }),
          })
        }
        onCancel={onClose}
      />
    </Dialog>
  )
}
