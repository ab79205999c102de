import { Download } from 'lucide-react'
import { useSubmission } from '../../api/use-submission.ts'
import { Button } from '../../ui/button.tsx'
import { saveFile } from '../../ui/save-file.ts'
import { showToast } from '../../ui/toast-store.ts'

interface DownloadReportProps {
  read: () => Promise<Blob>
  fileName: string
}

/** Requests need the application in a header, which a link cannot send. */
export function DownloadReport({ read, fileName }: DownloadReportProps) {
  const download = useSubmission({ mutationFn: read })
  const start = () =>
    download.mutate(undefined, {
      onSuccess: (file) => saveFile(file, fileName),
      onError: ({ message }) => showToast({ tone: 'danger', message: `The report was not downloaded. ${message}` }),
    })
  return (
    <Button size="small" isBusy={download.isPending} onClick={start}>
      <Download aria-hidden className="size-4" />
      Download report
    </Button>
  )
}

/** Only letters, digits and dashes: names of runs may have anything in them. */
export function reportFileName(candidate: string): string {
  const name = candidate
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-|-$/g, '')
    .slice(0, 60)
  return name === '' ? 'comparison.html' : `comparison-${name}.html`
}
