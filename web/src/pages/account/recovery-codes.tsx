import { Button, buttonClass } from '../../ui/button.tsx'
import { CopyButton } from '../../ui/copy-button.tsx'
import { DialogActions } from '../../ui/dialog.tsx'
import { focusOnMount } from '../../ui/focus-on-mount.ts'

/** Shown once: they cannot be read again. */
export function RecoveryCodes({ codes, onClose }: { codes: string[]; onClose: () => void }) {
  const text = codes.join('\n')
  const file = `Recovery codes of Touchstone at ${window.location.origin}\nEach works once.\n\n${text}\n`
  return (
    <div ref={focusOnMount} tabIndex={-1} className="flex flex-col gap-4 outline-none">
      <p className="text-soft">
        Each code signs you in once if you lose your device. They are shown only now: keep them where your password is
        not.
      </p>
      <ul
        aria-label="Recovery codes"
        className="grid grid-cols-2 gap-x-6 gap-y-1 rounded-card bg-gold-wash px-4 py-3 font-mono text-data"
      >
        {codes.map((code) => (
          <li key={code}>{code}</li>
        ))}
      </ul>
      <div className="flex flex-wrap gap-2">
        <a
          href={`data:text/plain;charset=utf-8,${encodeURIComponent(file)}`}
          download="touchstone-recovery-codes.txt"
          className={buttonClass('primary')}
        >
          Download
        </a>
        <CopyButton text={text} label="Copy" look="button" />
      </div>
      <DialogActions>
        <Button onClick={onClose}>I have saved them</Button>
      </DialogActions>
    </div>
  )
}
