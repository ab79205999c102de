import type { AttributeValue } from '../../storing/received-span.ts'
import { asJsonList, asJsonObject } from '../json/guarded-json.ts'
import type { Convention } from './convention.ts'

/** The attributes that are specific to CrewAI, by OpenInference and by OpenLLMetry. Other inputs of a crew are variables in its tasks. */
export const crewAi: Convention = {
  name: 'CrewAI',
  fields: {
    input: [
      { key: 'crew_tasks', read: readTasks },
      { key: 'crewai.crew.tasks', read: readTasks },
      'crewai.task.description',
    ],
    output: ['crewai.crew.result', 'crewai.task.result', 'crewai.agent.result'],
  },
}

/** A crew is asked by the descriptions of its tasks. */
function readTasks(value: AttributeValue): string | undefined {
  const tasks = asJsonList(value)?.map((task) => asJsonObject(task)?.description) ?? []
  return tasks.filter((description) => typeof description === 'string').join('\n') || undefined
}
