import type { Convention } from './convention.ts'

/** The attributes of Google's Agent Development Kit, which has a part of the GenAI convention only. */
export const googleAdk: Convention = {
  name: 'Google ADK',
  impliedKinds: { 'gcp.vertex.agent.llm_request': 'llm' },
  fields: {
    input: ['gcp.vertex.agent.llm_request', 'gcp.vertex.agent.tool_call_args'],
    output: ['gcp.vertex.agent.llm_response', 'gcp.vertex.agent.tool_response'],
    sessionId: ['gcp.vertex.agent.session_id'],
  },
}
