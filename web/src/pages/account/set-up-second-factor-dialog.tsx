import type { FormEvent } from 'react'
import { encode } from 'uqr'
import { useConfirmSecondFactor, useSetUpSecondFactor } from '../../api/second-factor-query.ts'
import { Button } from '../../ui/button.tsx'
import { CopyButton } from '../../ui/copy-button.tsx'
import { Dialog, DialogActions } from '../../ui/dialog.tsx'
import { focusOnMount } from '../../ui/focus-on-mount.ts'
import { TextField } from '../../ui/text-field.tsx'
import { ErrorReport } from '../shell/error-report.tsx'
import { readText } from '../shell/read-text.ts'
import { PasswordForm } from './password-form.tsx'
import { RecoveryCodes } from './recovery-codes.tsx'

/** The password, then the secret for the app and a first code, then the recovery codes. */
export function SetUpSecondFactorDialog({ onClose }: { onClose: () => void }) {
  const setUp = useSetUpSecondFactor()
  const confirm = useConfirmSecondFactor()
  if (!setUp.data) {
    return (
      <Dialog title="Turn on the second factor" isOpen onClose={onClose}>
        <PasswordForm
          text="You need an authenticator app, such as those of Google, Microsoft or your password manager."
          submitLabel="Continue"
          submission={setUp}
          onSubmit={(password) => setUp.mutate(password)}
          onCancel={onClose}
        />
      </Dialog>
    )
  }
  const { totpUri, recoveryCodes } = setUp.data
  return (
    <Dialog title={confirm.isSuccess ? 'Save your recovery codes' : 'Add it to your app'} isOpen onClose={onClose}>
      {confirm.isSuccess ? (
        <RecoveryCodes codes={recoveryCodes} onClose={onClose} />
      ) : (
        <FirstCode totpUri={totpUri} confirm={confirm} onCancel={onClose} />
      )}
    </Dialog>
  )
}

interface FirstCodeProps {
  totpUri: string
  confirm: ReturnType<typeof useConfirmSecondFactor>
  onCancel: () => void
}

function FirstCode({ totpUri, confirm, onCancel }: FirstCodeProps) {
  const secret = new URL(totpUri).searchParams.get('secret') ?? ''
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault()
    confirm.mutate(readText(new FormData(event.currentTarget), 'code'))
  }
  return (
    <form method="post" onSubmit={submit} className="flex flex-col gap-4">
      <div ref={focusOnMount} tabIndex={-1} className="flex flex-col gap-4 outline-none sm:flex-row">
        <QrCode text={totpUri} label="QR code for your authenticator app" />
        <div className="flex min-w-0 flex-col items-start gap-2">
          <p className="text-soft">Scan the code with your app, or enter this secret:</p>
          <output aria-label="Secret" className="font-mono text-data break-all">
            {secret}
          </output>
          <CopyButton text={secret} label="Copy secret" look="button" />
        </div>
      </div>
      <TextField
        label="Code of the app"
        name="code"
        required
        autoComplete="one-time-code"
        inputMode="numeric"
        pattern="\s*[0-9]{3}\s?[0-9]{3}\s*"
        title="Six digits"
        hint="The six digits that it shows now. You will be signed out everywhere else."
      />
      <ErrorReport key={confirm.submittedAt} error={confirm.error} />
      <DialogActions>
        <Button onClick={onCancel}>Cancel</Button>
        <Button type="submit" look="primary" isBusy={confirm.isPending}>
          Turn on
        </Button>
      </DialogActions>
    </form>
  )
}

/** Drawn here: no other host may see the text. Black on white in both themes, because many cameras do not read the inverse. */
function QrCode({ text, label }: { text: string; label: string }) {
  const { data, size } = encode(text, { ecc: 'M', border: 4 })
  const squares = data.flatMap((row, y) => row.flatMap((isDark, x) => (isDark ? `M${x} ${y}h1v1h-1z` : [])))
  return (
    <svg
      role="img"
      aria-label={label}
      viewBox={`0 0 ${size} ${size}`}
      shapeRendering="crispEdges"
      className="size-48 shrink-0 rounded-card bg-white"
    >
      <path d={squares.join('')} className="fill-black" />
    </svg>
  )
}
