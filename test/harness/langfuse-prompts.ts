/** Prompts of a simulated Langfuse, in the forms of its API: lists of names, and one version at a time. */

type PromptVersion = {
  name: string
  version: number
  type: 'text' | 'chat'
  prompt: unknown
  config: unknown
  labels: string[]
  tags: string[]
  commitMessage: string | null
  resolutionGraph?: Record<string, unknown> | null
}

const version = (
  fields: Partial<PromptVersion> & Pick<PromptVersion, 'name' | 'version' | 'prompt'>,
): PromptVersion => ({
  type: typeof fields.prompt === 'string' ? 'text' : 'chat',
  config: {},
  labels: [],
  tags: [],
  commitMessage: null,
  ...fields,
})

const LOOK_UP = { type: 'function', function: { name: 'look_up', parameters: { type: 'object', properties: {} } } }

/** Versions 1 and 4 have the same content, version 3 was deleted, and version 5 has logic. */
export const promptVersions: readonly PromptVersion[] = [
  version({ name: 'team/capital', version: 1, prompt: 'What is the capital of {{country}}?', commitMessage: 'first' }),
  version({
    name: 'team/capital',
    version: 2,
    prompt: [
      { type: 'chatmessage', role: 'system', content: 'Answer with {{{format}}}.' },
      { type: 'placeholder', name: 'history' },
      { role: 'user', content: 'The capital of {{ country }}?' },
    ],
    config: {
      model: 'gpt-5-mini',
      temperature: 0.2,
      tools: [LOOK_UP],
      response_format: { type: 'json_object' },
      supported_languages: ['en'],
    },
    labels: ['staging'],
  }),
  version({ name: 'team/capital', version: 4, prompt: 'What is the capital of {{country}}?', labels: ['production'] }),
  version({
    name: 'team/capital',
    version: 5,
    prompt: '{{#country}}What is the capital of {{country}}?{{/country}}',
    labels: ['latest', '-odd'],
  }),
  version({
    name: 'Film Kritik',
    version: 3,
    prompt: [{ role: 'user', content: 'Do you like {{movie}}?' }],
    labels: ['production', 'latest'],
    tags: ['movies'],
    resolutionGraph: { root: {}, dependencies: {} },
  }),
  version({ name: 'tools', version: 1, prompt: [{ role: 'tool', content: 'x' }], labels: ['latest'] }),
]

export function promptList(): unknown[] {
  const names = [...new Set(promptVersions.map(({ name }) => name))]
  return names.map((name) => {
    const ofName = promptVersions.filter((one) => one.name === name)
    const { type, tags } = ofName[0] ?? {}
    const labels = ofName.flatMap((one) => one.labels)
    const versions = ofName.map((one) => one.version)
    return { name, type, versions, labels, tags, lastUpdatedAt: '2026-03-03T09:00:00.000Z', lastConfig: {} }
  })
}

export function findPromptVersion(name: string, number: number): unknown {
  return promptVersions.find((one) => one.name === name && one.version === number)
}
