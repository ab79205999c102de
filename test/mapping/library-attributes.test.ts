/** Attributes that single libraries send, in addition to the recordings of whole traces: each row fails if its attribute is not read. */
import { describe, expect, it } from 'vitest'
import { mapSpan } from '../../src/traces/semconv/map-span.ts'
import { mapMessages } from '../../src/traces/semconv/messages/map-messages.ts'
import type { AttributeValue } from '../../src/traces/storing/received-span.ts'
import { receivedSpan, spanWith } from './golden-spans.ts'

type Attributes = Record<string, AttributeValue>

const ASKED = [{ role: 'user', content: 'Hi?' }]
const ANSWERED = [{ role: 'assistant', content: 'Ho!' }]

function fieldOf(attributes: Attributes, field: string): unknown {
  const value: unknown = Reflect.get(mapSpan(spanWith(attributes)), field)
  return typeof value === 'object' && value !== null && 'text' in value ? value.text : value
}

describe('the attributes of a library', () => {
  it.each<[string, Attributes, string, unknown]>([
    ['LangSmith', { 'langsmith.span.kind': 'retriever' }, 'kind', 'retriever'],
    ['LangSmith', { 'langsmith.span.tags': 'a, b' }, 'tags', ['a', 'b']],
    ['LangSmith', { 'langsmith.metadata.session_id': 's' }, 'sessionId', 's'],
    ['LangSmith', { 'langsmith.metadata.thread_id': 's' }, 'sessionId', 's'],
    ['LangSmith', { session_id: 's' }, 'sessionId', 's'],
    ['LangSmith', { 'langsmith.span.kind': 'prompt', 'gen_ai.operation.name': 'chat' }, 'kind', 'prompt'],
    ['LangSmith', { 'langsmith.span.tags': 'a, seq:step:1, graph:step:2, map:key:x' }, 'tags', ['a']],
    [
      'LangSmith',
      {
        'gen_ai.usage.input_tokens': 37,
        'gen_ai.usage.output_tokens': 11,
        'langsmith.metadata.usage_metadata':
          '{"input_tokens":37,"output_tokens":11,"total_tokens":48,"input_token_details":{"cache_read":8},"output_token_details":{"reasoning":3}}',
      },
      'usage',
      { input: 37, output: 11, total: 48, cacheRead: 8, cacheWrite: null, reasoning: 3, basis: 'inclusive' },
    ],
    ['Mastra', { 'mastra.span.type': 'agent_run' }, 'kind', 'agent'],
    ['Mastra', { 'mastra.agent_run.input': 'Hi?' }, 'input', 'Hi?'],
    ['Mastra', { 'mastra.workflow_step.output': '{"text":"Ho!"}' }, 'output', '{"text":"Ho!"}'],
    ['Mastra', { 'mastra.metadata.sessionId': 's' }, 'sessionId', 's'],
    ['Mastra', { 'mastra.metadata.userId': 'u' }, 'userId', 'u'],
    ['Mastra', { 'mastra.tags': '["a"]' }, 'tags', ['a']],
    ['CrewAI', { crew_tasks: '[{"description":"Hi?","agent_role":"r"}]' }, 'input', 'Hi?'],
    ['CrewAI', { 'crewai.crew.tasks': '[{"description":"Hi?"}]' }, 'input', 'Hi?'],
    ['CrewAI', { 'crewai.crew.result': 'Ho!' }, 'output', 'Ho!'],
    ['Google ADK', { 'gcp.vertex.agent.llm_request': '{"contents":[]}' }, 'kind', 'llm'],
    ['Google ADK', { 'gcp.vertex.agent.tool_response': '{"t":1}' }, 'output', '{"t":1}'],
    ['Google ADK', { 'gcp.vertex.agent.session_id': 's' }, 'sessionId', 's'],
    ['OpenLLMetry', { 'gen_ai.task.input': 'Hi?' }, 'input', 'Hi?'],
    ['OpenLLMetry', { 'gen_ai.task.output': 'Ho!' }, 'output', 'Ho!'],
    ['OpenLLMetry', { 'gen_ai.task.status': 'failure' }, 'status', 'error'],
    ['LangSmith', { 'langsmith.metadata.user_id': 'u' }, 'userId', 'u'],
    ['LangSmith', { 'langsmith.metadata.ls_model_name': 'm' }, 'model', 'm'],
    ['LangSmith, of ours', { 'langsmith.metadata.promptic.session.id': 's' }, 'sessionId', 's'],
    ['LangSmith, of ours', { 'langsmith.metadata.touchstone.component': 'c' }, 'links', { component: 'c' }],
    ['earlier clients', { 'promptic.input': 'Hi?' }, 'input', 'Hi?'],
    ['earlier clients', { 'promptic.output': 'Ho!' }, 'output', 'Ho!'],
    ['earlier clients', { 'promptic.session.id': 's' }, 'sessionId', 's'],
    ['earlier clients', { 'promptic.user.id': 'u' }, 'userId', 'u'],
    ['earlier clients', { 'promptic.tags': ['a'] }, 'tags', ['a']],
    ['earlier clients', { 'promptic.cost_usd': 0.5 }, 'reportedCostUsd', 0.5],
    ['earlier clients', { 'promptic.kind': 'agent' }, 'kind', 'agent'],
    ['earlier clients', { 'promptic.component': 'c' }, 'links', { component: 'c' }],
    ['MLflow', { 'mlflow.spanType': 'CHAT_MODEL' }, 'kind', 'llm'],
    ['MLflow', { 'mlflow.spanInputs': 'Hi?' }, 'input', 'Hi?'],
    ['MLflow', { 'mlflow.spanOutputs': 'Ho!' }, 'output', 'Ho!'],
    ['Traceloop', { 'traceloop.entity.input': '"Hi?"' }, 'input', '"Hi?"'],
    ['Traceloop', { 'traceloop.entity.output': '"Ho!"' }, 'output', '"Ho!"'],
    ['Pydantic AI', { all_messages: JSON.stringify([...ASKED, ...ANSWERED]) }, 'input', JSON.stringify(ASKED)],
    ['Pydantic AI', { all_messages: JSON.stringify([...ASKED, ...ANSWERED]) }, 'output', JSON.stringify(ANSWERED)],
    ['Pydantic AI', { 'pydantic_ai.all_messages': JSON.stringify(ASKED) }, 'input', JSON.stringify(ASKED)],
    ['Pydantic AI', { final_result: 'Ho!' }, 'output', 'Ho!'],
    ['Pydantic AI', { tool_arguments: '{"city":"Bern"}' }, 'input', '{"city":"Bern"}'],
    ['Pydantic AI', { tool_response: '21' }, 'output', '21'],
    ['Logfire', { 'logfire.msg': 'chat with gpt' }, 'name', 'chat with gpt'],
    ['the AI SDK 7', { 'ai.settings.context.tags': ['a'] }, 'tags', ['a']],
    ['LiteLLM', { 'gen_ai.operation.name': 'acompletion' }, 'kind', 'llm'],
    ['LiteLLM', { 'llm.user': 'u' }, 'userId', 'u'],
    ['LiteLLM', { 'gen_ai.cost.total_cost': 0.5 }, 'reportedCostUsd', 0.5],
    ['OpenInference', { 'llm.invocation_parameters': '{"model":"m"}' }, 'model', 'm'],
    [
      'LlamaIndex',
      { 'output.value': '<NodeWithScore object at 0x1>', 'retrieval.documents.0.document.content': 'Text' },
      'output',
      '[{"content":"Text"}]',
    ],
  ])('of %s are understood: %j', (_, attributes, field, expected) => {
    expect(fieldOf(attributes, field)).toEqual(expected)
  })

  it('of GenAI are read from the event with the messages', () => {
    const messages = {
      'gen_ai.input.messages': JSON.stringify(ASKED),
      'gen_ai.output.messages': JSON.stringify(ANSWERED),
    }
    const events = [{ name: 'gen_ai.client.inference.operation.details', attributes: messages }]
    const { input, output } = mapSpan(receivedSpan({ name: 'chat', attributes: {}, events }))
    expect([input?.text, output?.text]).toEqual([JSON.stringify(ASKED), JSON.stringify(ANSWERED)])
  })
})

describe('a message', () => {
  const textPart = { type: 'text', text: 'Ho!' }
  const callPart = { type: 'tool_call', id: 'c', name: 'f', arguments: { a: 1 } }

  it('that OpenInference sends as content and as contents, with its calls in both, has everything once', () => {
    const span = spanWith({
      'llm.output_messages.0.message.role': 'assistant',
      'llm.output_messages.0.message.content': 'Ho!',
      'llm.output_messages.0.message.contents.0.message_content.type': 'text',
      'llm.output_messages.0.message.contents.0.message_content.text': 'Ho!',
      'llm.output_messages.0.message.contents.1.message_content.type': 'tool_use',
      'llm.output_messages.0.message.contents.1.message_content.id': 'c',
      'llm.output_messages.0.message.contents.1.message_content.name': 'f',
      'llm.output_messages.0.message.contents.1.message_content.input': '{"a":1}',
      'llm.output_messages.0.message.tool_calls.0.tool_call.id': 'c',
      'llm.output_messages.0.message.tool_calls.0.tool_call.function.name': 'f',
      'llm.output_messages.0.message.tool_calls.0.tool_call.function.arguments': '{"a":1}',
    })
    expect(mapMessages(span)?.output).toEqual([{ role: 'assistant', parts: [textPart, callPart] }])
  })

  it.each([
    ['Gemini', { role: 'model', parts: [{ text: 'Ho!' }] }, [textPart]],
    ['Strands', { role: 'assistant', content: [{ text: 'Ho!' }] }, [textPart]],
    [
      'Strands',
      { role: 'assistant', content: [{ toolUse: { toolUseId: 'c', name: 'f', input: { a: 1 } } }] },
      [callPart],
    ],
  ])('of %s is one of the assistant, with its parts', (_, message, parts) => {
    const span = spanWith({ 'output.value': JSON.stringify([message]) })
    expect(mapMessages(span)?.output).toEqual([{ role: 'assistant', parts }])
  })
})
