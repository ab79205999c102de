import type { Trace, TraceLinks } from '../../api/generated/api.ts'
import { pagePaths } from '../../path-builder.ts'

interface TracePromptsProps {
  applicationId: string
  trace: Trace
  prompts: TraceLinks['prompts']
}

/** The prompts that the spans name, as facts. A version that exists is a link to it. */
export function TracePrompts({ applicationId, trace, prompts }: TracePromptsProps) {
  return prompts.map((prompt) => (
    <div key={`${prompt.name} ${prompt.label}`} className="contents">
      <dt className="text-faint">Prompt</dt>
      <dd className="break-words">
        {trace.aiComponentId !== null && prompt.promptId !== null && prompt.version !== null ? (
          <a
            href={pagePaths.promptVersion(applicationId, trace.aiComponentId, prompt.promptId, prompt.version)}
            className="touch-link underline underline-offset-4"
          >
            {prompt.name}
          </a>
        ) : (
          prompt.name
        )}
        {describe(prompt) && <span className="text-faint">, {describe(prompt)}</span>}
      </dd>
    </div>
  ))
}

/** A fallback is the only source that a user must know of: the text in the code answered, and no version. */
function describe({ label, source }: TraceLinks['prompts'][number]): string {
  const parts = [label === null ? '' : `label ${label}`, source === null ? '' : SOURCES[source]]
  return parts.filter((part) => part !== '').join(', ')
}

const SOURCES = {
  network: 'from the server',
  memory: 'from memory',
  disk: 'from disk',
  fallback: 'the fallback in the code',
}
