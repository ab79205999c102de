import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { instanceQuery } from '../../api/instance-query.ts'
import { secondFactorQuery, useDisableSecondFactor, useRenewRecoveryCodes } from '../../api/second-factor-query.ts'
import { Badge } from '../../ui/badge.tsx'
import { Button } from '../../ui/button.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import { countOf } from '../../ui/format-number.ts'
import { Skeleton } from '../../ui/skeleton.tsx'
import { showToast } from '../../ui/toast-store.ts'
import { QueryError } from '../shell/query-error.tsx'
import { AccountSection } from './account-section.tsx'
import { PasswordForm } from './password-form.tsx'
import { RecoveryCodes } from './recovery-codes.tsx'
import { SetUpSecondFactorDialog } from './set-up-second-factor-dialog.tsx'

/** Below this, users should create new ones. */
const FEW_CODES = 3

export function SecondFactorSection() {
  const { data: instance } = useQuery(instanceQuery)
  const { data: factor } = useQuery(secondFactorQuery)
  if (!instance?.oidcOnly && factor?.hasPassword !== false) return <OwnSecondFactor />
  return (
    <AccountSection
      id="second-factor"
      text={`${instance?.oidcName ?? 'Your provider'} decides whether you need one.`}
    />
  )
}

function OwnSecondFactor() {
  const { data: factor, error, isFetching, refetch } = useQuery(secondFactorQuery)
  const [open, setOpen] = useState<'set-up' | 'disable' | 'codes'>()
  const close = () => setOpen(undefined)
  const set = factor?.isEnabled ? (
    <div className="flex flex-wrap gap-2">
      <Button onClick={() => setOpen('codes')}>New recovery codes…</Button>
      <Button onClick={() => setOpen('disable')}>Turn off…</Button>
    </div>
  ) : (
    factor && <Button onClick={() => setOpen('set-up')}>Turn on…</Button>
  )
  return (
    <AccountSection
      id="second-factor"
      text="A code of an authenticator app, in addition to your password. It protects your account if the password leaks."
      action={set}
    >
      {factor && (
        <p className="flex flex-wrap items-center gap-2 text-data">
          <Badge tone={factor.isEnabled ? 'good' : 'neutral'}>{factor.isEnabled ? 'on' : 'off'}</Badge>
          {factor.isEnabled && (
            <span className={factor.recoveryCodesLeft < FEW_CODES ? 'text-danger' : 'text-soft'}>
              {codesLeft(factor.recoveryCodesLeft)}
            </span>
          )}
        </p>
      )}
      {!factor && error && <QueryError query={{ error, isFetching, refetch }} />}
      {!factor && !error && <Skeleton rows={1} />}
      {open === 'set-up' && <SetUpSecondFactorDialog onClose={close} />}
      {open === 'disable' && <DisableSecondFactorDialog onClose={close} />}
      {open === 'codes' && <RecoveryCodesDialog onClose={close} />}
    </AccountSection>
  )
}

function codesLeft(count: number): string {
  if (count === 0) return 'No recovery code is left. Create new ones, or you cannot sign in without your device.'
  const left = `${countOf(count, 'recovery code is', 'recovery codes are')} left.`
  return count < FEW_CODES ? `${left} Create new ones soon.` : left
}

function DisableSecondFactorDialog({ onClose }: { onClose: () => void }) {
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

function RecoveryCodesDialog({ onClose }: { onClose: () => void }) {
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
