import type { NewTrial } from '../../api/trials-query.ts'
import { absoluteUrl, apiPaths } from '../../path-builder.ts'
import { curlCommand } from '../shell/curl-command.ts'

/** The command that starts the trial of the form from a terminal or in CI. */
export function requestCommand(componentId: string, request: NewTrial): string {
  return curlCommand({
    method: 'POST',
    url: absoluteUrl(apiPaths.trials(componentId)),
    headers: ['Authorization: Bearer $TOUCHSTONE_API_KEY'],
    body: request,
  })
}
