import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { hasStatus } from '../../api/api-error.ts'
import { deviceQuery, useAnswerDevice } from '../../api/device-query.ts'
import { sessionQuery } from '../../api/session-query.ts'
import { pagePaths } from '../../path-builder.ts'
import { Button, buttonClass } from '../../ui/button.tsx'
import { focusOnMount } from '../../ui/focus-on-mount.ts'
import { Notice } from '../../ui/notice.tsx'
import { Skeleton } from '../../ui/skeleton.tsx'
import { EntryHeader } from '../shell/entry-header.tsx'
import { ErrorReport } from '../shell/error-report.tsx'
import { QueryError } from '../shell/query-error.tsx'

export function DeviceRequest({ userCode }: { userCode: string }) {
  const { data: session } = useQuery(sessionQuery)
  const lookup = useQuery(deviceQuery(userCode))
  const { data: device, error } = lookup
  const answer = useAnswerDevice(userCode)

  // The server rejects codes with 400.
  if (hasStatus(error, 400, 404, 410)) return <CodeRefused error={error} />
  if (error) {
    return (
      <>
        <EntryHeader title="This code could not be checked" />
        <QueryError query={lookup} />
      </>
    )
  }
  if (!device) return <Skeleton rows={2} />
  if (answer.data === 'approve' || device.status === 'approved') return <Approved />
  if (answer.data === 'deny' || device.status === 'denied') return <Denied />
  return (
    <>
      <EntryHeader title="Connect the command line">
        A program asks to act as <strong className="font-medium text-ink">{session?.user.email}</strong>. Compare the
        code with the one in your terminal.
      </EntryHeader>
      <p className="mb-5 rounded-card border border-line bg-surface py-5 text-center font-mono text-3xl tracking-widest">
        {userCode}
      </p>
      <Notice>
        Approve only if you started this login yourself. If someone sent you the code, they want access to your account.
      </Notice>
      <div className="mt-5 flex flex-col gap-3">
        <ErrorReport error={answer.error} />
        <Button look="primary" isBusy={answer.isPending} onClick={() => answer.mutate('approve')}>
          Approve
        </Button>
        <Button isBusy={answer.isPending} onClick={() => answer.mutate('deny')}>
          Deny
        </Button>
      </div>
    </>
  )
}

function Approved() {
  return (
    <div ref={focusOnMount} role="status" tabIndex={-1} className="outline-none">
      <EntryHeader title="The command line is connected">
        Go back to your terminal; it continues by itself. You can close this page.
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

function CodeRefused({ error }: { error: Error }) {
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
