import { type FormEvent, useState } from 'react'
import { type EndpointTestInput, useTestEndpoint } from '../../api/endpoints-query.ts'
import type { Endpoint, EndpointTest } from '../../api/generated/api.ts'
import { Dialog } from '../../ui/dialog.tsx'
import { JsonView } from '../../ui/json-view/json-view.tsx'
import { Notice } from '../../ui/notice.tsx'
import { JsonTextField } from '../../ui/schema-form/json-text-field.tsx'
import { TextField } from '../../ui/text-field.tsx'
import { FormEnd } from '../shell/form-end.tsx'
import { readText } from '../shell/read-text.ts'

interface TestEndpointDialogProps {
  applicationId: string
  endpoint: Endpoint
  onClose: () => void
}

/** Calls the endpoint once with a body, and shows what came back and what a trial would take from it. */
export function TestEndpointDialog({ applicationId, endpoint, onClose }: TestEndpointDialogProps) {
  const test = useTestEndpoint(applicationId, endpoint.id)
  const [body, setBody] = useState<unknown>({ question: '{{input.question}}' })
  const [input, setInput] = useState<unknown>({ question: 'Where is my order?' })
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault()
    const request: EndpointTestInput = {
      body: body === undefined ? {} : body,
      output: readText(new FormData(event.currentTarget), 'output'),
      ...(input !== undefined && { input }),
    }
    test.mutate(request)
  }
  return (
    <Dialog title={`Test ${endpoint.name}`} isOpen onClose={onClose}>
      <form method="post" onSubmit={submit} className="flex flex-col gap-4">
        <JsonTextField
          label="Body"
          value={body}
          onChange={setBody}
          hint="JSON. {{input}} and parts of it, such as {{input.question}}, are replaced."
        />
        <JsonTextField
          label="Input"
          isOptional
          value={input}
          onChange={setInput}
          hint="JSON, as the input of a dataset item."
        />
        <TextField
          label="Output"
          name="output"
          isOptional
          autoComplete="off"
          spellCheck={false}
          placeholder="the whole answer"
          defaultValue="/answer"
          hint="Where the output is in the answer, as a JSON Pointer."
        />
        {/* Always there, so that the result is announced. */}
        <div role="status" className="empty:-mt-4">
          {test.data && !test.isPending && <TestResult result={test.data} />}
        </div>
        <FormEnd submitLabel="Test" error={test.error} isBusy={test.isPending} onCancel={onClose} />
      </form>
    </Dialog>
  )
}

function TestResult({ result: { ok, summary, status, answer, output } }: { result: EndpointTest }) {
  return (
    <div className="flex flex-col gap-3">
      <Notice tone={ok ? 'good' : 'danger'} title={ok ? 'It works' : 'It does not work'}>
        <p className="wrap-anywhere">{summary}.</p>
      </Notice>
      {ok && (
        <div>
          <h3 className="mb-1 text-data font-medium">Output</h3>
          <JsonView label="Output" value={output} />
        </div>
      )}
      {status !== null && (
        <div>
          <h3 className="mb-1 text-data font-medium">Beginning of the answer</h3>
          {answer === null ? (
            <p className="text-data text-soft">Not shown: it is too large, or has the value of a header.</p>
          ) : (
            <pre className="max-h-60 overflow-auto rounded-control bg-sunken p-3 font-mono text-code wrap-anywhere whitespace-pre-wrap">
              {answer === '' ? '(empty)' : answer}
            </pre>
          )}
        </div>
      )}
    </div>
  )
}
