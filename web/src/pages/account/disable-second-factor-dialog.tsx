import { useDisableSecondFactor } from '../../api/second-factor-query.ts'
import { Dialog } from '../../ui/dialog.tsx'
import { showToast } from '../../ui/toast-store.ts'
import { PasswordForm } from './password-form.tsx'

export function DisableSecondFactorDialog({ onClose }: { onClose: () => void }) {
  const disable = useDisableSecondFactor()
  const submit = (password: string) =>
    disable.mutate(password, {
      onSuccess: () => {
        showToast({ tone: 'good', message: 'The second factor is off. All your other sessions have ended.' })
        onClose()
      },
    })
  return (
    <Dialog title="Turn off the second factor" isOpen onClose={onClose}>
      <PasswordForm
        text="Signing in needs only your password then. The recovery codes stop working."
        submitLabel="Turn off"
        look="danger"
        submission={disable}
        onSubmit={submit}
        onCancel={onClose}
      />
    </Dialog>
  )
}
