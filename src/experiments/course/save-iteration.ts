import { conflict, notFound } from '../../base/errors.ts'
import type { Principal } from '../../base/principal.ts'
import type { Context } from '../../http/route.ts'
import { saveVersion } from '../../prompts/save-version.ts'
import { prepareContent } from '../../prompts/version-content.ts'
import { findVersion } from '../../prompts/version-queries.ts'
import { dbWithin } from '../../storage/db.ts'
import type { ExperimentPlan } from '../experiment-plan.ts'
import { type ExperimentInComponent, requireExperiment } from '../experiment-queries.ts'
import { findContents, listIterations, setVersion } from '../iteration-queries.ts'
import { withKnownRole } from '../runner/open-test.ts'

/** Saves a proposal as a version of the prompt, with everything else as in the start. A version with the same content is found again. */
export async function saveIteration(
  { db, ...context }: Context,
  by: Principal,
  { number, ...scope }: ExperimentInComponent & { number: number },
): Promise<{ promptId: string; version: number; isNew: boolean }> {
  const { workspaceId, componentId, experimentId } = scope
  return db.transaction(async (tx) => {
    const { promptId, name, plan: text } = await requireExperiment(tx, scope)
    const of = { workspaceId, experimentId }
    const iteration = (await listIterations(tx, of)).find((one) => one.number === number)
    if (!iteration) throw notFound('Iteration')
    const messages = (await findContents(tx, of, [number])).get(number)?.messages
    if (number === 0 || !messages) throw conflict(`Iteration ${number} has no prompt of its own that could be saved`)
    const { target }: ExperimentPlan = JSON.parse(text)
    const start = await findVersion(tx, { workspaceId, promptId, number: target.version })
    if (!start) throw conflict('The version that the experiment has started from was deleted')
    const { version, isNew } = await saveVersion({ db: dbWithin(tx), ...context }, by, {
      componentId,
      promptId,
      content: prepareContent({ ...start.content, messages: messages.map(withKnownRole) }),
      note: `Proposal ${number} of the experiment ${name ?? experimentId}`,
      labels: [],
      verdicts: [],
      source: { kind: 'experiment', id: experimentId },
    })
    await setVersion(tx, { ...of, number }, version.number)
    return { promptId, version: version.number, isNew }
  })
}
