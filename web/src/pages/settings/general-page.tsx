import { IdLabel } from '../../ui/id-label.tsx'
import { PageHeader } from '../../ui/page-header.tsx'
import { useApplication } from '../shell/use-application.ts'
import { DeleteApplicationSection } from './delete-application-section.tsx'
import { LeaveApplicationSection } from './leave-application-section.tsx'
import { RenameApplicationForm } from './rename-application-form.tsx'
import { SharingSection } from './sharing-section.tsx'
import { TraceSettingsSection } from './trace-settings-section.tsx'

export function GeneralPage() {
  const application = useApplication()
  if (!application) return null
  return (
    <>
      <PageHeader
        title="General"
        within={application.name}
        text={
          <span className="inline-flex flex-wrap items-center gap-x-2 text-data">
            Application id
            <IdLabel id={application.id} label="Copy application id" look="whole" />
          </span>
        }
      />
      <div className="flex max-w-xl flex-col gap-12">
        <RenameApplicationForm key={application.updatedAt} application={application} />
        <TraceSettingsSection applicationId={application.id} />
        <SharingSection applicationId={application.id} />
        <LeaveApplicationSection application={application} />
        <DeleteApplicationSection application={application} />
      </div>
    </>
  )
}
