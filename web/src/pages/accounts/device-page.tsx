import { getRouteApi, useNavigate } from '@tanstack/react-router'
import type { FormEvent } from 'react'
import { pagePaths } from '../../path-builder.ts'
import { Button } from '../../ui/button.tsx'
import { TextField } from '../../ui/text-field.tsx'
import { EntryHeader } from '../shell/entry-header.tsx'
import { readText } from '../shell/read-text.ts'
import { DeviceRequest } from './device-request.tsx'

const route = getRouteApi('/_entry/device')

/** Approves a command-line login (RFC 8628). */
export function DevicePage() {
  const { user_code: userCode } = route.useSearch()
  return userCode ? <DeviceRequest key={userCode} userCode={userCode} /> : <DeviceCodeForm />
}

function DeviceCodeForm() {
  const navigate = useNavigate()
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault()
    const userCode = readText(new FormData(event.currentTarget), 'user_code').toUpperCase()
    void navigate({ to: pagePaths.device(), search: { user_code: userCode } })
  }
  return (
    <>
      <EntryHeader title="Connect the command line">Enter the code that your terminal shows.</EntryHeader>
      <form onSubmit={submit} className="flex flex-col gap-5">
        <TextField
          label="Code"
          name="user_code"
          required
          autoComplete="off"
          autoCapitalize="characters"
          spellCheck={false}
          placeholder="ABCDEFGH"
          className="font-mono text-lg tracking-widest uppercase"
        />
        <Button type="submit" look="primary">
          Continue
        </Button>
      </form>
    </>
  )
}
