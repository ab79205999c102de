import { useRenewRecoveryCodes } from '../../api/second-factor-query.ts'
import { Dialog } from '../../ui/dialog.tsx'
import { PasswordForm } from './password-form.tsx'
import { RecoveryCodes } from './recovery-codes.tsx'

export function RecoveryCodesDialog({ onClose }: { onClose: () => void }) {
  const renew = useRenewRecoveryCodes()
  return (
    <Dialog title={renew.data ? 'Save your recovery codes' : 'New recovery codes'} isOpen onClose={onClose}>
      {renew.data ? (
        <RecoveryCodes codes={renew.data.recoveryCodes} onClose={onClose} />
      ) : (
        <PasswordForm
          text="The codes that you have stop working."
          submitLabel="Create codes"
          submission={renew}
          onSubmit={(password) => renew.mutate(password)}
          onCancel={onClose}
        />
      )}
    </Dialog>
  )
}
