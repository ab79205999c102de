import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { instanceQuery } from '../../api/instance-query.ts'
import { secondFactorQuery } from '../../api/second-factor-query.ts'
import { Badge } from '../../ui/badge.tsx'
import { Button } from '../../ui/button.tsx'
import { countOf } from '../../ui/format-number.ts'
import { Skeleton } from '../../ui/skeleton.tsx'
import { QueryError } from '../shell/query-error.tsx'
import { AccountSection } from './account-section.tsx'
import { DisableSecondFactorDialog } from './disable-second-factor-dialog.tsx'
import { RecoveryCodesDialog } from './recovery-codes-dialog.tsx'
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
