import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { hasStatus } from '../../api/api-error.ts'
import { deviceQuery, useApproveDevice, useDenyDevice } from '../../api/device-query.ts'
import { sessionQuery } from '../../api/session-query.ts'
import { pagePaths } from '../../path-builder.ts'
import { buttonClass } from '../../ui/button.tsx'
import { focusOnMount } from '../../ui/focus-on-mount.ts'
import { Skeleton } from '../../ui/skeleton.tsx'
import { EntryHeader } from '../shell/entry-header.tsx'
import { ErrorReport } from '../shell/error-report.tsx'
import { QueryError } from '../shell/query-error.tsx'
import { DeviceKeyForm } from './device-key-form.tsx'

export function DeviceRequest({ userCode }: { userCode: string }) {
  const { data: session } = useQuery(sessionQuery)
  const lookup = useQuery(deviceQuery(userCode))
  const { data: device, error } = lookup
  const approve = useApproveDevice(userCode)
  const deny = useDenyDevice(userCode)

  // The server rejects codes with 400, and one that another user has opened with 403.
  if (hasStatus(error, 400, 403, 404, 410)) return <CodeRejected error={error} />
  if (error) {
    return (
      <>
        <EntryHeader title="This code could not be checked" />
        <QueryError query={lookup} />
      </>
    )
  }
  if (!device) return <Skeleton rows={2} />
  if (approve.isSuccess || device.status === 'approved') return <Approved />
  if (deny.isSuccess || device.status === 'denied') return <Denied />
  return (
    <>
      <EntryHeader title="Connect the command line">
        A program{device.address && ` at ${device.address}`} asks for an API key of{' '}
        <strong className="font-medium text-ink">{session?.user.email}</strong>. Compare the code with the one in your
        terminal.
      </EntryHeader>
      <p className="mb-5 rounded-card border border-line bg-surface py-5 text-center font-mono text-3xl tracking-widest">
        {device.user_code}
      </p>
      <DeviceKeyForm
        keyName={device.key_name}
        isBusy={approve.isPending || deny.isPending}
        error={approve.error ?? deny.error}
        onApprove={(key) => approve.mutate(key)}
        onDeny={() => deny.mutate()}
      />
    </>
  )
}

function Approved() {
  return (
    <div ref={focusOnMount} role="status" tabIndex={-1} className="outline-none">
      <EntryHeader title="The command line is connected">
        Go back to your terminal; it continues by itself. You can revoke its key under Account.
      </EntryHeader>
    </div>
  )
}

function Denied() {
  return (
    <div ref={focusOnMount} role="status" tabIndex={-1} className="outline-none">
      <EntryHeader title="The login was denied">
        The program got no access. If you did not start it, nothing else is to be done.
      </EntryHeader>
    </div>
  )
}

function CodeRejected({ error }: { error: Error }) {
  return (
    <>
      <EntryHeader title="This code does not work">
        Codes are valid for a few minutes and once only. Start the login in your terminal again.
      </EntryHeader>
      <ErrorReport error={error} />
      <Link to={pagePaths.device()} className={`${buttonClass()} mt-5`}>
        Enter another code
      </Link>
    </>
  )
}
