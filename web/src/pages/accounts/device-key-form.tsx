import { useQuery } from '@tanstack/react-query'
import { type FormEvent, useState } from 'react'
import type { DeviceKey } from '../../api/device-query.ts'
import type { KeyRole, Workspace } from '../../api/generated/api.ts'
import { meQuery } from '../../api/me-query.ts'
import { workspacesQuery } from '../../api/workspaces-query.ts'
import { Button } from '../../ui/button.tsx'
import { Notice } from '../../ui/notice.tsx'
import { SelectField } from '../../ui/select-field.tsx'
import { Skeleton } from '../../ui/skeleton.tsx'
import { highestKeyRole, KeyRoleField } from '../settings/key-role-field.tsx'
import { ErrorReport } from '../shell/error-report.tsx'
import { QueryError } from '../shell/query-error.tsx'

interface DeviceKeyFormProps {
  keyName: string
  isBusy: boolean
  error: Error | null
  onApprove: (key: DeviceKey) => void
  onDeny: () => void
}

/** Which key the command line gets. Denying needs no application. */
export function DeviceKeyForm(props: DeviceKeyFormProps) {
  const workspaces = useQuery(workspacesQuery)
  if (workspaces.error) return <QueryError query={workspaces} />
  if (!workspaces.data) return <Skeleton rows={3} />
  const [first] = workspaces.data
  if (first) return <ChooseKey {...props} first={first} workspaces={workspaces.data} />
  return (
    <div className="flex flex-col gap-5">
      <Notice title="You have no application">
        A key belongs to an application. Create one, or ask for an invitation.
      </Notice>
      <ErrorReport error={props.error} />
      <Button isBusy={props.isBusy} onClick={props.onDeny}>
        Deny
      </Button>
    </div>
  )
}

function ChooseKey({
  keyName,
  isBusy,
  error,
  onApprove,
  onDeny,
  first,
  workspaces,
}: DeviceKeyFormProps & { first: Workspace; workspaces: Workspace[] }) {
  const [workspaceId, setWorkspaceId] = useState(first.id)
  const [wanted, setWanted] = useState<KeyRole>()
  const me = useQuery(meQuery(workspaceId))
  const role = me.data && (wanted ?? highestKeyRole(me.data.role))
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault()
    if (role) onApprove({ workspaceId, role })
  }
  const choose = (id: string) => {
    setWorkspaceId(id)
    setWanted(undefined)
  }
  return (
    <form method="post" onSubmit={submit} className="flex flex-col gap-5">
      <p>
        If you approve, the program gets the new key <strong className="font-medium">{keyName}</strong>, which expires
        in 90 days.
      </p>
      <SelectField label="Application" value={workspaceId} onChange={(event) => choose(event.target.value)}>
        {workspaces.map(({ id, name }) => (
          <option key={id} value={id}>
            {name}
          </option>
        ))}
      </SelectField>
      {me.data && role && <KeyRoleField own={me.data.role} value={role} onChange={setWanted} />}
      {me.error && <QueryError query={me} />}
      <Notice>
        Approve only if you started this login yourself. If someone sent you the code, they want access to your data.
      </Notice>
      <ErrorReport error={error} />
      <Button
        type="submit"
        look="primary"
        isBusy={isBusy || me.isPending}
        disabledReason={me.isError ? 'Your role could not be loaded.' : undefined}
      >
        Approve
      </Button>
      <Button isBusy={isBusy} onClick={onDeny}>
        Deny
      </Button>
    </form>
  )
}
