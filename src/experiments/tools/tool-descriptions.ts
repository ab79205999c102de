/** The descriptions of the tools of a prompt, which may be in the form of any provider. All else of a tool stays as it is. */
type Fields = Record<string, unknown>

export type DescribedTool = { name: string; description: string }

export function describedTools(tools: readonly Fields[]): DescribedTool[] {
  return tools.flatMap((tool) => functionsIn(tool).map(readTool))
}

/** With other descriptions, by name. */
export function withDescriptions(tools: readonly Fields[], descriptions: ReadonlyMap<string, string>): Fields[] {
  const described = (fields: Fields): Fields => {
    const description = descriptions.get(String(fields.name))
    return description === undefined || description === (fields.description ?? '') ? fields : { ...fields, description }
  }
  return tools.map((tool) => {
    if (Array.isArray(tool.functionDeclarations))
      return {
        ...tool,
        functionDeclarations: tool.functionDeclarations.map((fields) => described({ ...Object(fields) })),
      }
    return isNested(tool) ? { ...tool, function: described({ ...Object(tool.function) }) } : described(tool)
  })
}

/** What a proposal has changed. */
export function changedDescriptions(before: readonly Fields[], after: readonly Fields[]) {
  const old = new Map(describedTools(before).map(({ name, description }) => [name, description]))
  return describedTools(after).flatMap(({ name, description }) =>
    old.get(name) === description ? [] : [{ name, before: old.get(name) ?? null, after: description }],
  )
}

/** OpenAI has the function below the tool, or in it; Gemini has a list of them. */
function functionsIn(tool: Fields): Fields[] {
  if (Array.isArray(tool.functionDeclarations))
    return tool.functionDeclarations.map((fields) => ({ ...Object(fields) }))
  return [isNested(tool) ? { ...Object(tool.function) } : tool]
}

function isNested({ function: own }: Fields): boolean {
  return typeof own === 'object' && own !== null
}

function readTool({ name, description }: Fields): DescribedTool {
  return { name: String(name), description: typeof description === 'string' ? description : '' }
}
