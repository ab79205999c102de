import type { Caller } from '../../base/principal.ts'
import type { Context } from '../../http/route.ts'
import type { Queries } from '../../storage/db.ts'
import { insertAuditEvent } from './audit-queries.ts'

/** Events for administrators. They contain names of resources, never their contents. */
export type AuditAction =
  | 'workspace.created'
  | 'workspace.changed'
  | 'workspace.deleted'
  | 'api-key.created'
  | 'api-key.revoked'
  | 'member.invited'
  | 'member.joined'
  | 'member.changed'
  | 'member.left'
  | 'member.removed'
  | 'invitation.changed'
  | 'invitation.withdrawn'
  | 'account.disabled'
  | 'account.enabled'
  | 'account.reset-link-created'
  | 'account.password-reset'
  | 'account.sessions-ended'
  | 'account.renamed'
  | 'account.linked'
  | 'account.second-factor-enabled'
  | 'account.second-factor-disabled'
  | 'account.second-factor-reset'
  | 'account.recovery-codes-created'
  | 'account.recovery-code-used'
  | 'component.created'
  | 'component.deleted'
  | 'prompt.deleted'
  | 'prompt-version.deleted'
  | 'prompt-label.moved'
  | 'prompt-label.rolled-back'
  | 'prompt-label.deleted'
  | 'prompt-label.protection-changed'
  | 'dataset.deleted'
  | 'dataset.settings-changed'
  | 'dataset.import-undone'
  | 'run.deleted'
  | 'evaluation.deleted'
  | 'trial.started'
  | 'trial.canceled'
  | 'trial.retried'
  | 'trial.deleted'
  | 'experiment.started'
  | 'experiment.stopped'
  | 'experiment.canceled'
  | 'experiment.resumed'
  | 'experiment.deleted'
  | 'price.created'
  | 'price.deleted'
  | 'spending.changed'
  | 'trace.deleted'
  | 'trace-comment.deleted'
  | 'traces.deleted'
  | 'traces.repriced'
  | 'traces.assigned'
  | 'retention.changed'
  | 'trace-settings.changed'
  | 'sharing.changed'
  | 'security.changed'
  | 'decision.recorded'
  | 'decision.deleted'
  | 'shared-link.created'
  | 'shared-link.revoked'
  | 'rating-scheme.changed'
  | 'annotation-policy.changed'
  | 'allowed-targets.changed'
  | 'connection.created'
  | 'connection.changed'
  | 'connection.deleted'
  | 'endpoint.created'
  | 'endpoint.changed'
  | 'endpoint.deleted'
  | 'example-data.loaded'
  | 'example-data.removed'

/** A caller, or the operator of the server on the command line. */
export type Actor = Pick<Caller, 'userId'> & { kind: Caller['kind'] | 'command-line' }

/** Writes the event in the transaction of the change, so that there is never one without the other. */
export async function recordAudit(
  tx: Queries,
  { newId, requestId, address }: Pick<Context, 'newId' | 'requestId' | 'address'>,
  event: {
    by: Actor
    workspaceId: string
    action: AuditAction
    resourceId: string
    /** What the resource does not show, or no longer shows, such as the role of a revoked key. */
    detail?: string
  },
): Promise<void> {
  await insertAuditEvent(tx, { ...event, id: newId(), requestId, address })
}
