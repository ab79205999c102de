import { DiffText } from '../../ui/diff-text/diff-text.tsx'
import { describeTool, type Tool, type ToolChange } from './describe-tool.ts'
import { DiffMark } from './diff-mark.tsx'

interface ToolChangesProps {
  changes: readonly ToolChange[]
  /** The names of the two sides: "v2" and "v5". */
  names: { before: string; after: string }
}

/** Which tools are new, gone or different, each by its name; the JSON of one is behind it. */
export function ToolChanges({ changes, names }: ToolChangesProps) {
  return (
    <ul aria-label="Tools" className="flex flex-col gap-2">
      {changes.map((change, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: two tools may have the same name
        <li key={index} className="min-w-0">
          <details>
            <summary className="cursor-pointer rounded-sm text-data touch:min-h-11">
              <Summary change={change} />
            </summary>
            <div className="mt-2">
              {change.change === 'changed' ? (
                <DiffText
                  baseline={JSON.stringify(change.before, null, 2)}
                  candidate={JSON.stringify(change.after, null, 2)}
                  baselineTitle={names.before}
                  candidateTitle={names.after}
                />
              ) : (
                <pre className="overflow-x-auto rounded-control bg-sunken p-3 font-mono text-code">
                  {JSON.stringify(change.change === 'added' ? change.after : change.before, null, 2)}
                </pre>
              )}
            </div>
          </details>
        </li>
      ))}
    </ul>
  )
}

function Summary({ change }: { change: ToolChange }) {
  if (change.change === 'changed') {
    return (
      <>
        <Signature tool={change.after} /> <span className="text-soft">changed</span>
      </>
    )
  }
  const isNew = change.change === 'added'
  const tool = isNew ? change.after : change.before
  return (
    <>
      <DiffMark side={isNew ? 'after' : 'before'}>
        <Signature tool={tool} />
      </DiffMark>{' '}
      <span className="text-soft">{isNew ? 'new' : 'removed'}</span>
    </>
  )
}

function Signature({ tool }: { tool: Tool }) {
  const { name, parameters } = describeTool(tool)
  return (
    <code className="font-mono text-code wrap-anywhere">
      <bdi className="font-semibold">{name}</bdi>({parameters.join(', ')})
    </code>
  )
}
