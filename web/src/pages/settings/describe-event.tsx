import type { ReactNode } from 'react'
import type { AuditEvent } from '../../api/generated/api.ts'

/** The names of the members by their id; undefined if they could not be loaded. */
export type Names = Map<string, string> | undefined

/** `subject` is the member that the event is about. */
type Words = string | ((event: AuditEvent, subject: ReactNode) => ReactNode)

/** The actor of an event, as the subject of its description. */
export function actorOf({ actorKind, actorId }: AuditEvent, names: Names): string {
  if (actorKind === 'anonymous') return 'An unknown caller'
  if (actorKind === 'command-line') return 'The operator'
  return names?.get(actorId) ?? (names ? 'A former member' : 'A member')
}

/** Whether the actor is a person whose name is not known, so that only the id identifies them. */
export function isUnnamed({ actorKind, actorId }: AuditEvent, names: Names): boolean {
  return (actorKind === 'session' || actorKind === 'api-key') && !names?.has(actorId)
}

/** The rest of the description: "changed the retention period". The name of an action that this page does not know. */
export function describeEvent(event: AuditEvent, names: Names): ReactNode {
  const words = descriptions[event.action]
  if (words === undefined) return event.action
  if (typeof words === 'string') return words
  const name = names?.get(event.resourceId ?? '')
  return words(event, name ? <bdi>{name}</bdi> : names ? 'a former member' : 'a member')
}

/** How the actor called the server, if it was not the interface. */
export function meansOf({ actorKind }: AuditEvent): string | undefined {
  if (actorKind === 'api-key') return 'with an API key'
  return actorKind === 'command-line' ? 'on the command line' : undefined
}

const descriptions: Record<string, Words> = {
  'workspace.created': 'created the application',
  'workspace.changed': 'changed the name or the description of the application',
  'workspace.deleted': 'deleted the application',
  'api-key.created': ({ detail }) => withRole('created an API key', detail),
  'api-key.revoked': ({ detail }) => withRole('revoked an API key', detail),
  'api-key.rejected': 'used an expired API key',
  'member.invited': ({ detail }) => <>invited {isolated(detail)}</>,
  'member.joined': ({ detail }) => (detail ? `joined as ${detail}` : 'joined'),
  'member.changed': ({ detail }, subject) => (
    <>
      changed the role of {subject}
      {detail && ` to ${detail}`}
    </>
  ),
  'member.left': 'left the application',
  'member.removed': (_event, subject) => <>removed {subject}</>,
  'invitation.changed': ({ detail }) => <>changed the invitation of {isolated(detail)}</>,
  'invitation.withdrawn': ({ detail }) => <>withdrew the invitation of {isolated(detail)}</>,
  'account.renamed': 'changed their name',
  'account.linked': 'signed in with the provider for the first time, which ended the password of the account',
  'account.disabled': (_event, subject) => <>disabled the account of {subject}</>,
  'account.enabled': (_event, subject) => <>enabled the account of {subject}</>,
  'account.reset-link-created': (_event, subject) => <>created a link to reset the password of {subject}</>,
  'account.password-reset': (_event, subject) => <>reset the password of {subject}</>,
  'account.sessions-ended': (_event, subject) => <>signed {subject} out everywhere</>,
  'account.second-factor-enabled': 'turned on their second factor',
  'account.second-factor-disabled': 'turned off their second factor',
  'account.second-factor-reset': (_event, subject) => <>reset the second factor of {subject}</>,
  'account.recovery-codes-created': 'created new recovery codes',
  'account.recovery-code-used': 'signed in with a recovery code',
  'component.created': ({ detail }) => <>created the component {isolated(detail)} by a trace that names it</>,
  'component.deleted': 'deleted a component',
  'prompt.deleted': 'deleted a prompt',
  'prompt-version.deleted': ({ detail }) => (
    <>
      deleted the version <bdi>{detail}</bdi> of a prompt
    </>
  ),
  'prompt-label.moved': ({ detail }) => (
    <>
      moved a label of a prompt: <bdi>{detail}</bdi>
    </>
  ),
  'prompt-label.rolled-back': ({ detail }) => (
    <>
      rolled a label of a prompt back: <bdi>{detail}</bdi>
    </>
  ),
  'prompt-label.deleted': ({ detail }) => (
    <>
      deleted the label <bdi>{detail}</bdi> of a prompt
    </>
  ),
  'prompt-label.protection-changed': ({ detail }) => (
    <>
      changed who moves a label of a prompt: <bdi>{detail}</bdi>
    </>
  ),
  'dataset.deleted': 'deleted a dataset',
  'dataset.settings-changed': 'changed the settings of a dataset',
  'dataset.import-undone': 'undid an import into a dataset',
  'run.deleted': 'deleted a run',
  'evaluation.deleted': 'deleted an evaluation',
  'trial.started': 'started a trial',
  'trial.canceled': 'canceled a trial',
  'trial.retried': 'retried the failed calls of a trial',
  'trial.deleted': 'deleted a trial',
  'experiment.started': 'started an experiment',
  'experiment.stopped': 'stopped the search of an experiment',
  'experiment.canceled': 'canceled an experiment',
  'experiment.resumed': 'resumed an experiment',
  'experiment.deleted': 'deleted an experiment',
  'price.created': 'added a price',
  'price.deleted': 'deleted a price',
  'trace.deleted': 'deleted a trace',
  'traces.deleted': 'deleted several traces',
  'trace-comment.deleted': 'deleted a comment of another member',
  'example-data.loaded': 'loaded the example data',
  'example-data.removed': 'removed the example data',
  'traces.assigned': ({ detail }) => <>assigned the traces of the unknown component {isolated(detail)} to it</>,
  'spending.changed': ({ detail }) => <>changed the spending limits, in dollars: {isolated(detail)}</>,
  'allowed-targets.changed': ({ detail }) => <>changed the allowed addresses of models: {isolated(detail)}</>,
  'traces.repriced': 'applied the prices to stored traces',
  'retention.changed': 'changed the retention period',
  'trace-settings.changed': ({ detail }) =>
    detail === 'components created'
      ? 'let traces create the components that they name'
      : 'stopped traces from creating components',
  'sharing.changed': ({ detail }) => (detail === 'links allowed' ? 'allowed shared links' : 'stopped all shared links'),
  'security.changed': ({ detail }) =>
    detail === 'second factor required' ? 'required a second factor of all members' : 'made the second factor optional',
  'decision.recorded': 'recorded a decision',
  'decision.deleted': 'deleted a decision',
  'shared-link.created': ({ detail }) => `shared a decision by a link${detail ? ` ${detail}` : ''}`,
  'shared-link.revoked': 'revoked a shared link',
  'rating-scheme.changed': 'changed the rating scheme',
  'annotation-policy.changed': 'changed how a run is annotated',
  'connection.created': 'connected a model',
  'connection.changed': 'changed a model connection',
  'connection.deleted': 'deleted a model connection',
  'endpoint.created': 'added an endpoint',
  'endpoint.changed': 'changed an endpoint',
  'endpoint.deleted': 'deleted an endpoint',
  'session.created': 'signed in',
  'session.rejected': (_event, subject) => <>failed to sign in as {subject}</>,
  'session.code-rejected': (_event, subject) => <>knew the password of {subject}, but failed the second factor</>,
  'access.denied': ({ resourceId }) => `was denied ${resourceId ?? 'a request'}`,
}

function withRole(text: string, role: string | null): string {
  return role ? `${text} with the role ${role}` : text
}

/** An address of an invitation, with its role. */
function isolated(detail: string | null): ReactNode {
  return detail === null ? 'a member' : <bdi>{detail}</bdi>
}
