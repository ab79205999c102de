import { Download } from 'lucide-react'
import { describeError } from '../../api/api-error.ts'
import { exportTraces, type TraceFilter } from '../../api/trace-list-query.ts'
import { useSubmission } from '../../api/use-submission.ts'
import { Button } from '../../ui/button.tsx'
import { Menu, menuItemClass } from '../../ui/menu.tsx'
import { MenuItem } from '../../ui/menu-parts.tsx'
import { saveFile } from '../../ui/save-file.ts'
import { showToast } from '../../ui/toast-store.ts'

interface ExportMenuProps {
  applicationId: string
  filter: TraceFilter
  /** Why there is nothing to export. */
  disabledReason: string | undefined
}

/** All traces that match, also those that are not loaded, as a file. */
export function ExportMenu({ applicationId, filter, disabledReason }: ExportMenuProps) {
  const download = useSubmission({
    mutationFn: (format: 'csv' | 'jsonl') => exportTraces(applicationId, filter, format),
    onSuccess: (blob, format) => blob && saveFile(blob, `traces.${format}`),
    onError: (error) => showToast({ tone: 'danger', ...describeError(error) }),
  })
  const button = (
    <Button size="small" className="touch:min-h-11" isBusy={download.isPending} disabledReason={disabledReason}>
      <Download aria-hidden className="size-3.5 text-faint" />
      Export
    </Button>
  )
  if (disabledReason) return button
  return (
    <Menu trigger={button}>
      <MenuItem className={menuItemClass} onSelect={() => download.mutate('csv')}>
        CSV, for spreadsheets
      </MenuItem>
      <MenuItem className={menuItemClass} onSelect={() => download.mutate('jsonl')}>
        JSONL, for programs
      </MenuItem>
    </Menu>
  )
}
