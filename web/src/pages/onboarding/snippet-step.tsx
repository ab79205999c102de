import { KeyRound } from 'lucide-react'
import { useState } from 'react'
import { absoluteUrl } from '../../path-builder.ts'
import { Button } from '../../ui/button.tsx'
import { CodeTabs } from '../../ui/code-tabs.tsx'
import { CopyButton } from '../../ui/copy-button.tsx'
import { focusOnMount } from '../../ui/focus-on-mount.ts'
import { ErrorReport } from '../shell/error-report.tsx'
import { buildDotEnv, buildSnippets } from './snippets.ts'

interface SnippetStepProps {
  /** Undefined until it is created; it is shown only until the user leaves the page. */
  apiKey: string | undefined
  component: string | undefined
  isBusy: boolean
  error: Error | null
  disabledReason: string | undefined
  onCreateKey: () => void
}

/** How to send a trace, with a new key filled in. */
export function SnippetStep({ apiKey, component, isBusy, error, disabledReason, onCreateKey }: SnippetStepProps) {
  const [tab, setTab] = useState('opentelemetry')
  const values = { origin: absoluteUrl(''), apiKey: apiKey ?? 'YOUR_API_KEY', component }
  return (
    <div className="flex flex-col gap-3">
      <CodeTabs label="Send a trace" tabs={buildSnippets(values)} value={tab} onChange={setTab} />
      <div className="flex flex-wrap items-center gap-3 text-data text-soft">
        <KeyRound aria-hidden className="size-4 shrink-0 text-gold-ink" />
        <p role="status" className="min-w-0 flex-1 basis-60">
          {apiKey ? (
            <>
              <strong className="font-semibold text-ink">The key is shown once.</strong> It is stored as a hash and
              works for {KEY_DAYS} days; you can create others at any time.
            </>
          ) : (
            'Create a key to fill it in, or use one that you have.'
          )}
        </p>
        {apiKey ? (
          <div ref={focusOnMount} tabIndex={-1} className="outline-none">
            <CopyButton text={buildDotEnv(values)} label="Copy as .env" look="button" />
          </div>
        ) : (
          <Button isBusy={isBusy} disabledReason={disabledReason} onClick={onCreateKey}>
            Create a key
          </Button>
        )}
      </div>
      <ErrorReport error={error} />
    </div>
  )
}

export const KEY_DAYS = 90
