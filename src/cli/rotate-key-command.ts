import type { Config } from '../config.ts'
import { type RotationResult, rotateSecretKey } from '../connections/rotate-secret-key.ts'
import { openForCommand } from './open-for-command.ts'

/** Returns 1 if some keys could not be decrypted and were not changed. */
export async function runRotateKey(config: Config): Promise<number> {
  return openForCommand(config, async ({ storage }) => {
    const rotated = await rotateSecretKey(storage, config)
    process.stdout.write(rotated ? summarize(rotated) : NO_SECRET_KEY)
    const unreadable = rotated?.unreadable ?? []
    for (const key of unreadable) process.stderr.write(unreadableMessage(key))
    return unreadable.length === 0 ? 0 : 1
  })
}

const NO_SECRET_KEY = 'There is no secret key yet, so nothing is encrypted.\n'

function summarize({ sealed, file }: RotationResult): string {
  const count = sealed === 1 ? '1 key of a model connection was' : `${sealed} keys of model connections were`
  const next =
    file === undefined
      ? 'Once it is first in TOUCHSTONE_SECRET_KEY on every server, the other keys are no longer needed.'
      : `It is the first line of ${file}, which backups do not contain: keep a copy of it.`
  return `${count} encrypted with the new secret key.\n${next}\n`
}

function unreadableMessage({ workspaceId, name }: RotationResult['unreadable'][number]): string {
  return `The key of the connection ${name} of the application ${workspaceId} cannot be decrypted with any available secret key. It was not changed; provide the previous secret key, or enter the key again\n`
}
