import { type FormEvent, useState } from 'react'
import { hasStatus } from '../../api/api-error.ts'
import { type CacheAfterSignIn, useVerifyCode } from '../../api/session-query.ts'
import { Button } from '../../ui/button.tsx'
import { Checkbox } from '../../ui/checkbox.tsx'
import { TextField } from '../../ui/text-field.tsx'
import { ErrorReport } from '../shell/error-report.tsx'
import { readText } from '../shell/read-text.ts'

interface CodeStepProps {
  challenge: string
  cacheAfter?: CacheAfterSignIn
  onSignedIn: () => void
  /** Back to the password. */
  onBack: () => void
}

/** The second step of signing in: a code of the authenticator app, or a recovery code. */
export function CodeStep({ challenge, cacheAfter = 'cleared', onSignedIn, onBack }: CodeStepProps) {
  const verify = useVerifyCode(cacheAfter)
  const [kind, setKind] = useState<'app' | 'recovery'>('app')
  const [isTrusted, setIsTrusted] = useState(false)
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault()
    const code = readText(new FormData(event.currentTarget), 'code')
    verify.mutate({ challenge, code, isTrusted }, { onSuccess: onSignedIn })
  }
  const isExpired = hasStatus(verify.error, 400)
  return (
    <form method="post" onSubmit={submit} className="flex flex-col gap-5">
      <div key={kind}>
        {kind === 'app' ? (
          <TextField
            label="Code"
            name="code"
            required
            autoFocus
            autoComplete="one-time-code"
            inputMode="numeric"
            pattern="\s*[0-9]{3}\s?[0-9]{3}\s*"
            title="Six digits"
            hint="The six digits that your authenticator app shows now."
          />
        ) : (
          <TextField
            label="Recovery code"
            name="code"
            required
            autoFocus
            autoComplete="off"
            autoCapitalize="none"
            spellCheck={false}
            hint="One of the codes that you saved. Each works once."
          />
        )}
      </div>
      <label htmlFor="trust-device" className="flex cursor-pointer items-center gap-3 text-data">
        <Checkbox id="trust-device" state={isTrusted ? 'on' : 'off'} onChange={() => setIsTrusted(!isTrusted)} />
        Do not ask on this device for 30 days
      </label>
      <ErrorReport key={verify.submittedAt} error={verify.error} />
      {isExpired ? (
        <Button look="primary" onClick={onBack}>
          Enter the password again
        </Button>
      ) : (
        <Button type="submit" look="primary" isBusy={verify.isPending || verify.isSuccess}>
          Sign in
        </Button>
      )}
      <div className="flex flex-wrap justify-between gap-2">
        <Button look="quiet" size="small" onClick={() => setKind(kind === 'app' ? 'recovery' : 'app')}>
          {kind === 'app' ? 'Use a recovery code' : 'Use the authenticator app'}
        </Button>
        {!isExpired && (
          <Button look="quiet" size="small" onClick={onBack}>
            Back
          </Button>
        )}
      </div>
    </form>
  )
}
