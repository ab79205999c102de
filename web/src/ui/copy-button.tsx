import { Check, Copy } from 'lucide-react'
import { useState } from 'react'
import { Button } from './button.tsx'
import { copyText } from './copy-text.ts'
import { IconButton } from './icon-button.tsx'

interface CopyButtonProps {
  text: string
  /** The accessible name of the button, such as "Copy key". */
  label: string
  look?: 'icon' | 'button' | 'quiet' | 'primary'
  onCopied?: () => void
}

export function CopyButton({ text, label, look = 'icon', onCopied }: CopyButtonProps) {
  const [state, setState] = useState<'ready' | 'copied' | 'denied'>('ready')
  const copy = async () => {
    const isCopied = await copyText(text)
    setState(isCopied ? 'copied' : 'denied')
    if (isCopied) onCopied?.()
    setTimeout(() => setState('ready'), 2000)
  }
  const Icon = state === 'copied' ? Check : Copy
  const icon = <Icon aria-hidden className={state === 'copied' && look !== 'primary' ? 'size-4 text-good' : 'size-4'} />
  return (
    <>
      {look === 'icon' ? (
        <IconButton label={label} size="small-icon" onClick={copy}>
          {icon}
        </IconButton>
      ) : (
        <Button look={look === 'button' ? 'secondary' : look} size="small" onClick={copy}>
          {icon}
          {label}
        </Button>
      )}
      <span role="status" className={state === 'denied' ? 'text-data text-danger' : 'sr-only'}>
        {announcements[state]}
      </span>
    </>
  )
}

const announcements = {
  ready: '',
  copied: 'Copied',
  denied: 'The browser denied it; select and copy the text by hand.',
}
