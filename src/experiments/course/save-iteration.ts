import { conflict, notFound } from '../../base/errors.ts'
import type { Principal } from '../../base/principal.ts'
import type { Context } from '../../http/route.ts'
import { findVersion } from '../../prompts/version-queries.ts'
import { dbWithin } from '../../storage/db.ts'
import type { ExperimentPlan } from '../experiment-plan.ts'
import { type ExperimentInComponent, requireExperiment } from '../experiment-queries.ts'
import { findContents, listIterations, setVersion } from '../iteration-queries.ts'
import { saveProposal } from '../save-proposal.ts'

/** For a user who does not wait for the test, or wants another proposal than the winner. */
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
    const proposed = (await findContents(tx, of, [number])).get(number)?.content
    if (number === 0 || !proposed) throw conflict(`Iteration ${number} has no prompt of its own that could be saved`)
    const { target }: ExperimentPlan = JSON.parse(text)
    const start = await findVersion(tx, { workspaceId, promptId, number: target.version })
    if (!start) throw conflict('The version that the experiment has started from was deleted')
    const { version, isNew } = await saveProposal({ db: dbWithin(tx), ...context }, by, {
      ...{ componentId, promptId, experimentId, experimentName: name },
      ...{ number, start: start.content, proposed },
    })
    await setVersion(tx, { ...of, number }, version.number)
    return { promptId, version: version.number, isNew }
  })
}
