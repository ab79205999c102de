import { absoluteUrl, apiPaths } from '../../path-builder.ts'
import { Button } from '../../ui/button.tsx'
import { CodeBlock } from '../../ui/code-block.tsx'
import { CopyButton } from '../../ui/copy-button.tsx'
import { DialogActions } from '../../ui/dialog.tsx'
import { focusOnMount } from '../../ui/focus-on-mount.ts'
import { Notice } from '../../ui/notice.tsx'
import { curlCommand } from '../shell/curl-command.ts'

interface NewApiKeyProps {
  apiKey: string
  isWarned: boolean
  onCopied: () => void
  onClose: () => void
}

export function NewApiKey({ apiKey, isWarned, onCopied, onClose }: NewApiKeyProps) {
  const command = curlCommand({
    method: 'GET',
    url: absoluteUrl(apiPaths.components()),
    headers: [`Authorization: Bearer ${apiKey}`],
  })
  return (
    <div ref={focusOnMount} tabIndex={-1} className="flex flex-col gap-4 outline-none">
      <p className="text-soft">It is shown only now. Only a hash is stored, from which the key cannot be recovered.</p>
      <output aria-label="API key" className="block rounded-card bg-gold-wash px-4 py-3 font-mono text-data break-all">
        {apiKey}
      </output>
      <div className="flex flex-wrap gap-2">
        <CopyButton text={apiKey} label="Copy key" look="primary" onCopied={onCopied} />
        <CopyButton text={`TOUCHSTONE_API_KEY=${apiKey}`} label="Copy as .env line" look="button" onCopied={onCopied} />
      </div>
      <div>
        <p className="mb-2 text-data text-soft">Try it:</p>
        <CodeBlock code={command} copyLabel="Copy curl command" onCopied={onCopied} />
      </div>
      {isWarned && (
        <div role="alert">
          <Notice tone="danger" title="You have not copied the key">
            Once closed, it cannot be shown again. Close again if you have saved it by other means.
          </Notice>
        </div>
      )}
      <DialogActions>
        <Button onClick={onClose}>I have saved this key</Button>
      </DialogActions>
    </div>
  )
}
