import { CopyButton } from './copy-button.tsx'

interface IdLabelProps {
  id: string
  /** The accessible name of the copy button, such as "Copy component id". */
  label: string
  look?: 'short' | 'whole'
}

/** Ids start with a time, so neighboring ids have the same start: the short form shows the end. */
export function IdLabel({ id, label, look = 'short' }: IdLabelProps) {
  return (
    <span className="inline-flex items-center gap-1 touch:-my-3">
      <code className="font-mono text-code whitespace-nowrap text-faint" title={id}>
        {look === 'short' ? `…${id.slice(-8)}` : id}
      </code>
      <CopyButton text={id} label={label} />
    </span>
  )
}
