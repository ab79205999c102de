import { resealSecondFactors } from '../auth/second-factor/reseal-second-factors.ts'
import type { Config } from '../config.ts'
import { type RotationResult, rotateSecretKey } from '../connections/rotate-secret-key.ts'
import { resealHeaders } from '../endpoints/reseal-headers.ts'
import { openForCommand } from './open-for-command.ts'
import { PROGRAM } from './program-name.ts'

const OTHERS = { endpoints: resealHeaders, secondFactors: resealSecondFactors }

/** Returns 1 if some secrets could not be decrypted and were not changed. */
export async function runRotateKey(config: Config): Promise<number> {
  return openForCommand(config, async ({ storage }) => {
    const rotated = await rotateSecretKey(storage, config, OTHERS)
    process.stdout.write(rotated ? summarize(rotated) : NO_SECRET_KEY)
    const unreadable = rotated?.unreadable ?? []
    for (const key of unreadable) process.stderr.write(unreadableMessage(key))
    const headerless = rotated?.endpoints.unreadable ?? []
    for (const endpoint of headerless) process.stderr.write(unreadableHeaders(endpoint))
    const lost = rotated?.secondFactors.unreadable ?? 0
    if (lost > 0) process.stderr.write(unreadableFactors(lost))
    return unreadable.length + headerless.length + lost === 0 ? 0 : 1
  })
}

const NO_SECRET_KEY = 'There is no secret key yet, so nothing is encrypted.\n'

function summarize({ sealed, endpoints, secondFactors, file }: RotationResult): string {
  const factors =
    secondFactors.sealed === 0
      ? ''
      : `${secondFactors.sealed} second factor(s) of users were encrypted with the new secret key.\n`
  const headers =
    endpoints.sealed === 0
      ? ''
      : `The headers of ${endpoints.sealed} endpoint(s) were encrypted with the new secret key.\n`
  const count = sealed === 1 ? '1 key of a model connection was' : `${sealed} keys of model connections were`
  const next =
    file === undefined
      ? 'Once it is first in TOUCHSTONE_SECRET_KEY on every server, the other keys are no longer needed.'
      : `It is the first line of ${file}, which backups do not contain: keep a copy of it.`
  return `${count} encrypted with the new secret key.\n${headers}${factors}${next}\n`
}

function unreadableMessage({ workspaceId, name }: RotationResult['unreadable'][number]): string {
  return `The key of the connection ${name} of the application ${workspaceId} cannot be decrypted with any available secret key. It was not changed; provide the previous secret key, or enter the key again\n`
}

function unreadableHeaders({ workspaceId, name }: RotationResult['unreadable'][number]): string {
  return `The headers of the endpoint ${name} of the application ${workspaceId} cannot be decrypted with any available secret key. They were not changed; provide the previous secret key, or enter the headers again\n`
}

function unreadableFactors(count: number): string {
  return `The second factors of ${count} user(s) cannot be decrypted with any available secret key. They were not changed; provide the previous secret key, or use: ${PROGRAM} user reset-second-factor EMAIL\n`
}
