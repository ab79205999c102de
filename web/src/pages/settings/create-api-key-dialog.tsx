import { useState } from 'react'
import { useCreateApiKey } from '../../api/api-keys-query.ts'
import type { Role } from '../../api/generated/api.ts'
import { Dialog } from '../../ui/dialog.tsx'
import { ApiKeyForm } from './api-key-form.tsx'
import { NewApiKey } from './new-api-key.tsx'

interface CreateApiKeyDialogProps {
  applicationId: string
  /** The role of the user who creates the key. */
  role: Role
  onClose: () => void
}

/** Shows the form, then the key, only once. Closing before it was copied asks for confirmation. */
export function CreateApiKeyDialog({ applicationId, role, onClose }: CreateApiKeyDialogProps) {
  const create = useCreateApiKey(applicationId)
  const [isCopied, setIsCopied] = useState(false)
  const [isWarned, setIsWarned] = useState(false)
  const key = create.data?.key
  const close = () => {
    if (key === undefined || isCopied || isWarned) onClose()
    else setIsWarned(true)
  }
  return (
    <Dialog title={key ? 'Save your API key' : 'New API key'} isOpen onClose={close}>
      {key ? (
        <NewApiKey apiKey={key} isWarned={isWarned && !isCopied} onCopied={() => setIsCopied(true)} onClose={close} />
      ) : (
        <ApiKeyForm
          role={role}
          isBusy={create.isPending}
          error={create.error}
          onSubmit={(wanted) => create.mutate(wanted)}
          onCancel={onClose}
        />
      )}
    </Dialog>
  )
}
