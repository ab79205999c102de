import { type UseMutationOptions, useMutation } from '@tanstack/react-query'
import { useRef } from 'react'

interface SubmissionOptions<Result, Input> extends UseMutationOptions<Result, Error, Input> {
  mutationFn: (input: Input) => Promise<Result>
}

/**
 * A mutation that ignores calls while its request is pending. A busy button alone is not enough: it is rendered a moment
 * after the first click, and the second click of a double click can come before that.
 */
export function useSubmission<Result, Input>(options: SubmissionOptions<Result, Input>) {
  const isPending = useRef(false)
  const mutation = useMutation({
    ...options,
    mutationFn: async (input: Input) => {
      try {
        return await options.mutationFn(input)
      } finally {
        isPending.current = false
      }
    },
  })
  const mutate: typeof mutation.mutate = (...call) => {
    if (isPending.current) return
    isPending.current = true
    mutation.mutate(...call)
  }
  return { ...mutation, mutate }
}
